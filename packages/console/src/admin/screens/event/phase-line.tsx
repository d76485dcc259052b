// The phases on a line of time, with now, and as cards below.
import type { EventRecord, PhaseRecord } from '@fairgate/contracts/management/event.ts'
import { Check } from 'lucide-react'
import { formatMoney } from '../../../format/money.ts'
import { formatMoment } from '../../../format/time.ts'
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
      <svg
        className="phase-line"
        viewBox="0 0 1000 34"
        preserveAspectRatio="none"
        role="img"
        aria-label={event.phases
          .map(({ name, from }) => `${name} from ${formatMoment(Date.parse(from), now, zone)}`)
          .join(', ')}
      >
        {line.phases.map(({ phase, x, width, isNow }) => (
          <rect
            key={phase.name}
            x={x * 1000}
            y="8"
            width={Math.max(2, width * 1000 - 3)}
            height="18"
            rx="4"
            fill={
              isNow ? 'var(--series-1)' : phase.gateway === 'closed' ? 'var(--sunken)' : 'var(--accent-tint)'
            }
            stroke="var(--control)"
          />
        ))}
        {line.now === null ? null : (
          <line
            x1={line.now * 1000}
            x2={line.now * 1000}
            y1="0"
            y2="34"
            stroke="var(--text)"
            strokeWidth="2"
          />
        )}
      </svg>
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

function PhaseCard({
  phase,
  isNow,
  isOver,
}: {
  readonly phase: PhaseRecord
  readonly isNow: boolean
  readonly isOver: boolean
}) {
  const { name, from, until, gateway, models, budget_nano, accounting, entries_until } = phase
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
        <Moment at={from} /> to <Moment at={until} none="open end" />
      </span>
      <span className="muted">
        Gateway {gateway}
        {budget_nano === null ? '' : `, ${formatMoney(budget_nano, 'nearest')} a team`}
        {accounting === 'new' ? ', a new period' : ''}
        {models === null ? '' : `, ${models.length} models`}
      </span>
      {entries_until === null ? null : (
        <span className="muted">
          Log entries of before until <Moment at={entries_until} />
        </span>
      )}
    </li>
  )
}
