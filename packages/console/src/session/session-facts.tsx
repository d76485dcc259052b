// Facts of a session from the server: cost, coverage, gaps and people.

import type { SessionView } from '@fairgate/contracts/console/session-view.ts'
import type { ReactNode } from 'react'
import { countOf, formatCount, formatShare } from '../format/number.ts'
import { formatDuration } from '../format/time.ts'
import { Card } from '../show/card.tsx'
import { FactList, type Facts } from '../show/facts.tsx'
import { ForeignText } from '../show/foreign.tsx'
import { Moment } from '../show/moment.tsx'
import { Cost } from '../show/money.tsx'
import { PageLink } from '../show/page-link.tsx'
import { useSessionSource } from './session-source.tsx'

const classNames: Readonly<Record<string, string>> = {
  session: 'matched by session id',
  text: 'matched by text',
  ambiguous: 'fit multiple sessions',
  probable: 'matched by time only',
  unexplained: 'without a match in the log',
  pending: 'still waiting for entries',
  before_setup: 'before the recorder was set up',
  side: 'small side calls',
  app: 'from other programs',
}

/** `children`: cards of the page itself, after the facts. */
export function SessionFacts({
  view,
  children,
}: {
  readonly view: SessionView
  readonly children?: ReactNode
}) {
  const { callsHref } = useSessionSource()
  const facts: Facts = [
    [
      'Cost',
      <span key="cost" className="strong">
        <Cost nano={view.cost_nano} />
      </span>,
    ],
    [
      'Calls',
      callsHref === null ? (
        formatCount(view.calls)
      ) : (
        <PageLink key="calls" href={callsHref({ team: view.team_id, session: view.session_id })}>
          {formatCount(view.calls)}
        </PageLink>
      ),
    ],
    ['Entries', `${formatCount(view.entries)}${view.late > 0 ? `, ${formatCount(view.late)} late` : ''}`],
    ['Coverage', view.coverage === null ? 'no spend' : formatShare(view.coverage)],
    ['First', <Moment key="first" at={view.first_at} />],
    ['Last', <Moment key="last" at={view.last_at} as="ago" />],
    ['Active', formatDuration(view.active_ms)],
    [
      'People',
      view.members.length === 0 ? (
        'unknown'
      ) : (
        <ForeignText key="members" text={view.members.map(({ name }) => name).join(', ')} most={200} />
      ),
    ],
    ...(view.students.length === 0
      ? []
      : [['Git author', <ForeignText key="students" text={view.students.join(', ')} most={200} />] as const]),
    ...(Math.abs(view.clock_behind_ms) < 2000
      ? []
      : [
          [
            'Clock',
            `${formatDuration(Math.abs(view.clock_behind_ms))} ${view.clock_behind_ms > 0 ? 'behind' : 'ahead'}`,
          ] as const,
        ]),
  ]
  const classes = Object.entries(view.classes).filter(([, { calls }]) => calls > 0)
  return (
    <div className="session-facts stack">
      <Card title="Facts">
        <FactList facts={facts} />
      </Card>
      {children}
      {classes.length === 0 ? null : (
        <Card title="Calls and the log">
          <ul className="stack small">
            {classes.map(([name, { calls, cost_nano }]) => (
              <li key={name} className="row-between">
                <span>
                  {countOf(calls, 'call')} {classNames[name] ?? name}
                </span>
                <Cost nano={cost_nano} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {view.gaps.length === 0 ? null : (
        <Card title="Gaps" note="five minutes or longer">
          <ul className="stack small">
            {view.gaps.slice(0, 12).map(({ from, until, ms }) => (
              <li key={from} className="row-between">
                <span>
                  <Moment at={from} /> to <Moment at={until} />
                </span>
                <span className="nowrap">{formatDuration(ms)}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  )
}
