// Judging for organisers and head judges: set-up, panel with claim links, deal, progress and paper scores, each at its own address.
import type { JudgeList } from '@fairgate/contracts/judging/panel.ts'
import type { ProgressReply } from '@fairgate/contracts/judging/scores.ts'
import type { SetupReply } from '@fairgate/contracts/judging/setup.ts'
import { Link, Navigate } from '@tanstack/react-router'
import { readOf, useRead } from '../../../api/use-read.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Card } from '../../../show/card.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { useMayRead } from '../../session-context.tsx'
import { DealTab } from './deal-tab.tsx'
import { PanelTab } from './panel-tab.tsx'
import { PapersTab } from './papers-tab.tsx'
import { ProgressTab } from './progress-tab.tsx'
import { ResultsTab } from './results-tab.tsx'
import { SetupTab } from './setup-tab.tsx'

const tabs = [
  ['setup', 'Set-up'],
  ['panel', 'Panel'],
  ['deal', 'Deal'],
  ['progress', 'Progress'],
  ['papers', 'Papers'],
  ['results', 'Results'],
] as const

export function JudgingScreen() {
  if (useMayRead('head_judges')) return <Judging />
  return (
    <>
      <PageHead title="Judging" />
      <Card isFlush>
        <Empty>Only organisers and head judges can prepare judging.</Empty>
      </Card>
    </>
  )
}

function Judging() {
  const { search } = useAddress()
  const setup = useRead(readOf<SetupReply>('/judging/setup'))
  const judges = useRead(readOf<JudgeList>('/judging/judges'))
  const progress = useRead(readOf<ProgressReply>('/judging/progress'), { everyMs: 15_000 })
  useRefresh(
    'judging',
    ['/judging/setup', '/judging/judges', '/judging/progress', '/judging/judgements'].map(each => [each]),
    1000,
  )
  const shown = tabs.find(([name]) => name === search.tab)?.[0] ?? null
  const { done = 0, unable = 0 } = progress.data ?? {}
  const lock =
    done + unable === 0
      ? null
      : 'Judges have finished judgements, so this cannot be changed any longer: their scores would mean something else.'
  return (
    <>
      <div className="no-print">
        <PageHead title="Judging" />
        <nav className="tabs" aria-label="Judging">
          {tabs.map(([name, label]) => (
            <Link
              key={name}
              to="/console/judging"
              search={{ tab: name }}
              className="tab"
              data-status={name === shown ? 'active' : undefined}
              aria-current={name === shown ? 'page' : undefined}
            >
              {label}
            </Link>
          ))}
        </nav>
      </div>
      <Loaded read={setup} what="The set-up" height={420}>
        {reply =>
          shown === null ? (
            <Navigate
              to="/console/judging"
              search={{ tab: reply.setup === null ? 'setup' : 'progress' }}
              replace
            />
          ) : shown === 'setup' ? (
            <SetupTab reply={reply} lock={lock} />
          ) : (
            <Loaded read={judges} what="The judges" height={420}>
              {({ items }) =>
                shown === 'panel' ? (
                  <PanelTab judges={items} setup={reply.setup} />
                ) : shown === 'deal' ? (
                  <DealTab judges={items} setup={reply.setup} />
                ) : shown === 'results' ? (
                  <ResultsTab />
                ) : shown === 'papers' ? (
                  <PapersTab judges={items} setup={reply.setup} />
                ) : (
                  <ProgressTab judges={items} setup={reply.setup} progress={progress} />
                )
              }
            </Loaded>
          )
        }
      </Loaded>
    </>
  )
}
