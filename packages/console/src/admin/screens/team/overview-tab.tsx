// Overview tab: a team's budget, limits in use, spend, refusals, log coverage and latest activity.

import type { TeamDetail } from '@fairgate/contracts/console/team-detail.ts'
import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import type { TeamInfo } from '@fairgate/contracts/info/team-record.ts'
import type { SpendReportItem } from '@fairgate/contracts/spend/spend-report.ts'
import { Link } from '@tanstack/react-router'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { countOf, formatCount, formatShare } from '../../../format/number.ts'
import { nameRefusal } from '../../../format/refusal.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { ShareBars } from '../../../show/bars.tsx'
import { Card } from '../../../show/card.tsx'
import { ChoiceChips } from '../../../show/chips.tsx'
import { Explanation } from '../../../show/explanation.tsx'
import { ForeignId, ForeignText } from '../../../show/foreign.tsx'
import { Money } from '../../../show/money.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { BudgetCard } from './budget-card.tsx'
import { LimitsInUse } from './limits-in-use.tsx'
import { TimelineItems } from './timeline-items.tsx'

export type TeamInfoReply = TeamInfo & TeamDetail

export function OverviewTab({ row }: { readonly row: TeamRow }) {
  const { team_id } = row
  const read = useRead(readOf<TeamInfoReply>('/team/info', { team_id, detail: true }), { everyMs: 15_000 })
  useRefresh(`calls:${team_id}`, [['/team/info']], 2000)
  return (
    <>
      <div className="team-top">
        <BudgetCard row={row} />
        <Card title="Current limits" note="● live">
          <Loaded read={read} what="The limits" height={44} lines={5}>
            {({ limits_now, spend_by }) => (
              <LimitsInUse limits={limits_now} aliasOf={key => nameKey(spend_by.key, key)} />
            )}
          </Loaded>
        </Card>
      </div>
      <div className="team-thirds">
        <SpendCard read={read} />
        <RefusalsCard read={read} team={team_id} />
        <CoverageCard read={read} team={team_id} />
      </div>
      <Card
        title="Latest activity"
        action={
          <Link to="/console/teams/$team/$tab" params={{ team: team_id, tab: 'timeline' }}>
            View timeline
          </Link>
        }
        isFlush
      >
        <TimelineItems team={team_id} most={8} />
      </Card>
    </>
  )
}

type Reading = ReturnType<typeof useRead<TeamInfoReply>>

function nameKey(items: readonly SpendReportItem[], key: string): string {
  const alias = items.find(item => item.key === key)?.key_alias
  return alias === undefined || alias === null || alias === '' ? `key ${key.slice(0, 8)}` : alias
}

const groupings = ['model', 'key', 'person'] as const

function SpendCard({ read }: { readonly read: Reading }) {
  const { search, change } = useAddress()
  const by = groupings.find(each => each === search.by) ?? 'model'
  return (
    <Card
      title="Spend by"
      action={
        <fieldset className="row small-chips">
          <legend className="hidden-text">Spend by</legend>
          <ChoiceChips
            choices={groupings.map(value => ({ value, label: value }))}
            value={by}
            onChange={value => change({ by: value === 'model' ? undefined : value })}
          />
        </fieldset>
      }
    >
      <Loaded read={read} what="The spend" height={26} lines={4}>
        {({ spend_by }) => {
          const items = spend_by[by]
          const total = items.reduce((sum, { cost_nano }) => sum + cost_nano, 0)
          if (items.length === 0) return <Empty>No spend in this period</Empty>
          return (
            <ShareBars
              total={total}
              shares={items.slice(0, 8).map((item, index) => ({
                id: item.model ?? item.key ?? item.member_id ?? String(index),
                name: nameItem(item, by),
                value: item.cost_nano,
                shown: formatMoney(item.cost_nano),
                note: item.refused > 0 ? `${formatCount(item.refused)} refused` : undefined,
              }))}
            />
          )
        }}
      </Loaded>
    </Card>
  )
}

function nameItem(item: SpendReportItem, by: (typeof groupings)[number]) {
  if (by === 'model')
    return item.model === null || item.model === undefined ? (
      <span className="muted">unknown model</span>
    ) : (
      <ForeignId text={item.model} most={48} />
    )
  if (by === 'person')
    return item.member_name === null || item.member_name === undefined ? (
      <span className="muted">team keys</span>
    ) : (
      <ForeignText text={item.member_name} most={40} />
    )
  const alias = item.key_alias ?? ''
  return (
    <>
      {alias === '' ? null : <ForeignText text={alias} most={32} />} <code>{item.key_name ?? ''}</code>
    </>
  )
}

function RefusalsCard({ read, team }: { readonly read: Reading; readonly team: string }) {
  return (
    <Card title="Why calls were refused" note="last hour">
      <Loaded read={read} what="The refusals" height={48} lines={2}>
        {({ refusals_1h }) => {
          const all = refusals_1h.reduce((sum, { count }) => sum + count, 0)
          if (all === 0) return <Empty>No calls were refused in the last hour.</Empty>
          return (
            <div className="stack">
              {refusals_1h.map(({ code, count, text, top_key_alias, top_key_count }) => (
                <div key={code}>
                  <div className="row-between">
                    <Link to="/console/calls" search={{ team, outcome: 'refused', code }} className="strong">
                      {countOf(count, 'call')}
                    </Link>
                    <span className="muted">{nameRefusal(code)}</span>
                  </div>
                  <p className="small muted">
                    {text === null ? null : <Explanation text={text} most={300} />}
                    {top_key_alias !== null && top_key_alias !== '' && count > 1 ? (
                      <>
                        {' '}
                        {formatCount(top_key_count)} of these came from{' '}
                        <ForeignText text={top_key_alias} most={32} className="strong" />.
                      </>
                    ) : null}
                  </p>
                </div>
              ))}
              <Link to="/console/calls" search={{ team, outcome: 'refused' }} className="strong">
                View {countOf(all, 'call')}
              </Link>
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}

const coverageColors = {
  by_session: 'var(--series-1)',
  by_text: 'var(--series-3)',
  none: 'var(--series-2)',
} as const
const coverageWords = {
  by_session: 'By session id',
  by_text: 'By prompt text',
  none: 'No logged session',
} as const
const coverageKinds = ['by_session', 'by_text', 'none'] as const

function CoverageCard({ read, team }: { readonly read: Reading; readonly team: string }) {
  return (
    <Card title="Coverage" note="share of spend that the log explains">
      <Loaded read={read} what="Coverage" height={32} lines={4}>
        {({ coverage }) => {
          const total = coverageKinds.reduce((sum, kind) => sum + coverage[kind].nano, 0)
          return (
            <div className="stack">
              <div>
                <span className="figure">{formatShare(coverage.share)}</span>{' '}
                <span className="muted small">
                  {coverage.share === null
                    ? 'Too early: needs at least 20 calls and $0.05 of spend.'
                    : 'of spend is in logged sessions'}
                </span>
              </div>
              <svg className="bar-svg" style={{ height: 12 }} aria-hidden preserveAspectRatio="none">
                <rect width="100%" height="100%" fill="var(--sunken)" />
                {stackOf(coverageKinds.map(kind => coverage[kind].nano)).map(({ start, width }, index) => (
                  <rect
                    key={coverageKinds[index]}
                    x={`${start * 100}%`}
                    width={`${width * 100}%`}
                    height="100%"
                    fill={coverageColors[coverageKinds[index] ?? 'none']}
                  />
                ))}
              </svg>
              <ul className="coverage-list">
                {coverageKinds.map(kind => (
                  <li key={kind} className="row-between">
                    <span className="row">
                      <svg width="10" height="10" aria-hidden>
                        <rect width="10" height="10" rx="2" fill={coverageColors[kind]} />
                      </svg>
                      {coverageWords[kind]}
                    </span>
                    <span className="nowrap">
                      <Money nano={coverage[kind].nano} isStrong />{' '}
                      <span className="muted small">
                        {countOf(coverage[kind].count, 'call')}
                        {total > 0 ? ` · ${formatShare(coverage[kind].nano / total)}` : ''}
                      </span>
                    </span>
                  </li>
                ))}
                <li className="row-between">
                  <span className="row">
                    <svg width="10" height="10" aria-hidden>
                      <rect
                        x="0.5"
                        y="0.5"
                        width="9"
                        height="9"
                        rx="2"
                        fill="none"
                        stroke="var(--control)"
                        strokeDasharray="2 2"
                      />
                    </svg>
                    Logged, but no matching call
                  </span>
                  <Link to="/console/sessions" search={{ team, logged: 'true' }}>
                    {countOf(coverage.logged_only.sessions, 'session')}
                  </Link>
                </li>
              </ul>
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}

function stackOf(values: readonly number[]): { readonly start: number; readonly width: number }[] {
  const total = Math.max(
    1,
    values.reduce((sum, value) => sum + value, 0),
  )
  return values.map((value, index) => ({
    start: values.slice(0, index).reduce((sum, each) => sum + each, 0) / total,
    width: value / total,
  }))
}
