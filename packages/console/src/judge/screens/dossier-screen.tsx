// Dossier of a team: what it handed in, how its people worked, what the log does not cover, and the sessions most worth reading.
import type { DossierReply } from '@fairgate/contracts/judging/reading.ts'
import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { readOf, useAction, useRead } from '../../api/use-read.ts'
import { formatAxisMoney } from '../../format/money.ts'
import { countOf, formatCount, formatShare } from '../../format/number.ts'
import { formatDuration } from '../../format/time.ts'
import { useRefresh } from '../../live/live-context.tsx'
import { Badge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { ForeignName, ForeignText } from '../../show/foreign.tsx'
import { Moment } from '../../show/moment.tsx'
import { Money } from '../../show/money.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { PageLink } from '../../show/page-link.tsx'
import { StackedBars } from '../../show/stacked-bars.tsx'
import { Loaded } from '../../show/states.tsx'
import { judgingPath, startHref, viewHref } from '../judge-address.ts'
import { HandedIn } from '../parts/handed-in.tsx'
import { SessionItem } from '../parts/session-item.tsx'
import { useAgainWhile } from '../parts/use-again-while.ts'
import { WorkLanes } from '../parts/work-lanes.tsx'
import { isRead, useQueue, useTeamName } from '../queue-context.tsx'
import { ReasonDialog } from '../scoring/reason-dialog.tsx'

const hour = 3_600_000

export function DossierScreen({ team }: { readonly team: string }) {
  const path = judgingPath('teams', team)
  const name = useTeamName(team)
  const dossier = useRead(readOf<DossierReply>(path))
  useRefresh('sessions', [[path]], 10_000)
  useAgainWhile((dossier.data?.compared.pending ?? 0) > 0, dossier)
  useBegin(team)
  return (
    <>
      <PageHead
        title={name.slice(0, 60)}
        name={<ForeignName name={name} most={60} />}
        crumbs={<PageLink href={startHref}>Teams</PageLink>}
        beside={
          dossier.data?.calibration === true ? <Badge tone="info">read first by all judges</Badge> : null
        }
      >
        <ConflictButton team={team} />
      </PageHead>
      <Loaded read={dossier} what="The dossier" height={140} lines={4}>
        {shown => <Dossier dossier={shown} />}
      </Loaded>
    </>
  )
}

/** Records once that the judge has begun to read the team, which keeps it with this judge when teams are dealt again. */
function useBegin(team: string): void {
  const { items, open } = useQueue()
  const begin = useAction<object, unknown>({
    method: 'POST',
    path: judgingPath('teams', team, 'begin'),
    changes: ['/judging/queue'],
  })
  const isDue = open && items.some(item => item.team === team && item.state === 'to_read')
  const hasBegun = useRef(false)
  const { mutate } = begin
  useEffect(() => {
    if (!isDue || hasBegun.current) return
    hasBegun.current = true
    mutate({})
  }, [isDue, mutate])
}

function Dossier({ dossier }: { readonly dossier: DossierReply }) {
  return (
    <>
      <Figures dossier={dossier} />
      <HandedIn team={dossier.team} submission={dossier.submission} />
      <Picks dossier={dossier} />
      <WorkLanes dossier={dossier} />
      <div className="judge-pair">
        <Coverage dossier={dossier} />
        <Gaps gaps={dossier.gaps} />
        <Hours hours={dossier.hours} />
        <Models models={dossier.models} />
      </div>
    </>
  )
}

function Figures({ dossier: { coverage, totals, tools, gaps } }: { readonly dossier: DossierReply }) {
  const facts = [
    ['Coverage', formatShare(coverage.share)],
    ['Prompts', formatCount(totals.prompts)],
    ['Spend', <Money key="spend" nano={totals.cost_nano} />],
    [
      'Tools',
      tools.length === 0 ? (
        'none'
      ) : (
        <ForeignText key="tools" text={tools.map(({ tool }) => tool).join(', ')} most={60} />
      ),
    ],
    ['Commits', formatCount(totals.commits)],
    ['Longest gap', gaps[0] === undefined ? 'none' : formatDuration(gaps[0].ms)],
  ] as const
  return (
    <dl className="card judge-figures">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Picks({ dossier: { team, picks, totals, draw, compared } }: { readonly dossier: DossierReply }) {
  return (
    <Card
      title="Sessions to read"
      action={
        totals.sessions === 0 ? undefined : (
          <PageLink href={viewHref('sessions', { team })} className="judge-more">
            All {formatCount(totals.sessions)}
          </PageLink>
        )
      }
      isFlush
    >
      {picks.length === 0 ? (
        <p className="card-body muted">This team has no sessions.</p>
      ) : (
        <ul>
          {picks.map(({ session, why, sentence }) => (
            <li key={`${why} ${session.tool} ${session.session_id}`}>
              <SessionItem session={session} reason={{ label: reasons[why], sentence }} />
            </li>
          ))}
        </ul>
      )}
      {compared.pending === 0 ? null : (
        <p className="card-body muted small" role="status">
          {countOf(compared.pending, 'team is', 'teams are')} still being read. This choice may change.
        </p>
      )}
      {picks.some(({ why }) => why === 'chance') ? (
        <details className="judge-draw small">
          <summary>How the session by chance was drawn</summary>
          <p className="muted">
            <ForeignText text={draw} most={600} />
          </p>
        </details>
      ) : null}
    </Card>
  )
}

const reasons: Readonly<Record<DossierReply['picks'][number]['why'], string>> = {
  dearest: 'dearest',
  longest: 'longest',
  surprising: 'unlike others',
  chance: 'by chance',
}

function Coverage({ dossier: { coverage, totals } }: { readonly dossier: DossierReply }) {
  return (
    <Card title="What the log covers">
      <p>
        <span className="figure">{formatShare(coverage.share)}</span>{' '}
        <span className="muted">
          {coverage.share === null ? (
            coverage.missing.length === 0 ? (
              'Nothing was spent.'
            ) : (
              'No coding tool has spent anything.'
            )
          ) : (
            <>
              of <Money nano={totals.cost_nano} /> spent
            </>
          )}
        </span>
      </p>
      {coverage.missing.length === 0 ? null : (
        <ul className="judge-rows small">
          {coverage.missing.map(({ what, calls, cost_nano }) => (
            <li key={what} className="row-between">
              <span>
                <ForeignText text={what} most={200} />{' '}
                <span className="faint">({countOf(calls, 'call')})</span>
              </span>
              <Money nano={cost_nano} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Gaps({ gaps }: Pick<DossierReply, 'gaps'>) {
  if (gaps.length === 0) return null
  return (
    <Card title="Longest gaps" note="without any activity">
      <ul className="judge-rows small">
        {gaps.map(({ from, until, ms }) => (
          <li key={from} className="row-between">
            <span>
              <Moment at={from} /> to <Moment at={until} />
            </span>
            <span className="nowrap">{formatDuration(ms)}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Hours({ hours }: Pick<DossierReply, 'hours'>) {
  const [first, last] = [hours[0], hours.at(-1)]
  if (first === undefined || last === undefined) return null
  const dearest = hours.reduce((most, each) => (each.cost_nano > most.cost_nano ? each : most), first)
  return (
    <Card title="Cost per hour">
      <StackedBars
        series={[
          {
            id: 'cost',
            label: 'cost of model calls',
            color: 'var(--series-1)',
            values: new Map(hours.map(({ at, cost_nano }) => [Date.parse(at), cost_nano])),
          },
        ]}
        from={Date.parse(first.at)}
        until={Date.parse(last.at) + hour}
        stepMs={hour}
        height={150}
        formatValue={formatAxisMoney}
        summary={`Cost per hour, at most ${formatAxisMoney(dearest.cost_nano)}`}
      />
    </Card>
  )
}

function Models({ models }: Pick<DossierReply, 'models'>) {
  if (models.length === 0) return null
  return (
    <Card title="Models">
      <ul className="judge-rows small">
        {models.map(({ model, calls, cost_nano }) => (
          <li key={model} className="row-between">
            <span>
              <code>
                <ForeignText text={model} most={60} />
              </code>{' '}
              <span className="faint">{countOf(calls, 'call')}</span>
            </span>
            <Money nano={cost_nano} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Only for a team that the judge still has to judge. */
function ConflictButton({ team }: { readonly team: string }) {
  const { items } = useQueue()
  const router = useRouter()
  const [isOpen, setOpen] = useState(false)
  const item = items.find(each => each.team === team)
  if (item === undefined || isRead(item) || item.calibration) return null
  return (
    <>
      <Button variant="subtle" color="gray" onClick={() => setOpen(true)}>
        I know this team…
      </Button>
      {isOpen ? (
        <ReasonDialog
          kind="conflict"
          team={team}
          onClose={() => setOpen(false)}
          onDone={() => void router.navigate({ href: startHref })}
        />
      ) : null}
    </>
  )
}
