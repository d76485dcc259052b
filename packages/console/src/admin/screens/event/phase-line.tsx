// Phases on a timeline with a marker for now, and as cards below it.
import type { EventRecord, PhaseRecord } from '@fairgate/contracts/management/event.ts'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatMoney } from '../../../format/money.ts'
import { formatClock, formatLeft, formatMoment } from '../../../format/time.ts'
import { useServerNow } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { useZone } from '../../../show/zone-context.tsx'
import { placePhases } from './place-phases.ts'

export function PhaseLine({ event }: { readonly event: EventRecord }) {
  const now = useServerNow(10_000)
  const zone = useZone()
  const line = placePhases(event.phases, now)
  return (
    <div className="stack">
      {/* The cards below carry the same information as text. */}
      <div className="phase-line" aria-hidden>
        {line.phases.map(({ phase, width, isNow }, index) => (
          <div key={phase.name} className="phase-part" style={{ flexBasis: `${width * 100}%` }}>
            <span className="strong cut phase-label">
              <ForeignText text={phase.name} most={40} />
            </span>
            <span className="phase-bar" data-now={isNow} data-gateway={phase.gateway} />
            <span className="faint small phase-label phase-times">
              <span>{formatMoment(Date.parse(phase.from), now, zone)}</span>
              {phase.until === null || phase.until === line.phases[index + 1]?.phase.from ? null : (
                <span>{formatMoment(Date.parse(phase.until), now, zone)}</span>
              )}
            </span>
          </div>
        ))}
        {line.now === null ? null : (
          <span
            className="phase-now"
            data-side={line.now > 0.5 ? 'left' : 'right'}
            style={{ left: `${line.now * 100}%` }}
          >
            <span className="strong small nowrap">{describeNow(event, now, zone)}</span>
          </span>
        )}
      </div>
      <ol className="grid phase-cards">
        {event.phases.map(phase => (
          <PhaseCard
            key={phase.name}
            phase={phase}
            isNow={phase.name === event.phase}
            isOver={phase.until !== null && Date.parse(phase.until) <= now}
          />
        ))}
      </ol>
    </div>
  )
}

/** `15:42, 2 h 18 min left` */
function describeNow({ phases, phase }: EventRecord, now: number, zone: string): string {
  const until = phases.find(({ name }) => name === phase)?.until ?? null
  const clock = formatClock(now, zone, false)
  return until === null ? clock : `${clock}, ${formatLeft(Date.parse(until) - now)} left`
}

function PhaseCard({
  phase,
  isNow,
  isOver,
}: {
  readonly phase: PhaseRecord
  readonly isNow: boolean
  readonly isOver: boolean
}) {
  const { name, from, until, gateway, models, budget_nano, accounting, entries_until, submissions_until } =
    phase
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Gateway', gateway],
    [
      'Budget',
      `${budget_nano === null ? "each team's own" : `${formatMoney(budget_nano, 'nearest')} per team`}${accounting === 'new' ? ', new period' : ''}`,
    ],
    ['Models', models === null ? 'all' : <ForeignText key="models" text={models.join(', ')} most={160} />],
    ...(entries_until === null
      ? []
      : [
          [
            'Late entries',
            <span key="late">
              until <Moment at={entries_until} />
            </span>,
          ] as const,
        ]),
    ...(submissions_until === null
      ? []
      : [
          [
            'Submissions',
            <span key="submissions">
              until <Moment at={submissions_until} />
            </span>,
          ] as const,
        ]),
  ]
  return (
    <li className="sunken-box" data-now={isNow}>
      <span className="row strong">
        <ForeignText text={name} most={40} />
        {isNow ? (
          <Badge tone="info">now</Badge>
        ) : isOver ? (
          <Badge icon={<Check aria-hidden />}>ended</Badge>
        ) : null}
      </span>
      <span>
        <Moment at={from} /> to <Moment at={until} none="no end" />
      </span>
      <dl className="phase-facts small">
        {facts.map(([term, value]) => (
          <div key={term}>
            <dt className="muted">{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  )
}
