// Connection status: four lights, each with its latest fact, and a hint when one is not green.
import type { ReactNode } from 'react'
import { Badge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { CopiedCode } from '../../show/copy-button.tsx'
import { ForeignText } from '../../show/foreign.tsx'
import { Light, type LightTone } from '../../show/light.tsx'
import { LiveDot } from '../../show/live-dot.tsx'
import { Moment } from '../../show/moment.tsx'
import { useSelf } from '../self-context.tsx'
import { TeamLink } from '../team-link.tsx'

export function LightsCard() {
  const { lights, last_call, last_entry, wrong_clocks: clocks, addresses } = useSelf()
  return (
    <Card title="Connection" action={<LiveDot />}>
      <ul className="stack">
        <Row tone={lights.key.s} name="Key works" text={lights.key.text}>
          {lights.key.s === 'ok' ? null : <TeamLink href="/ask">Ask the organisers</TeamLink>}
        </Row>
        <Row tone={lights.call.s} name="Model answers" text={lights.call.text}>
          {lights.call.s === 'ok' ? (
            <Newest of="call" at={last_call} />
          ) : (
            <TeamLink href="/connect">Connect a tool</TeamLink>
          )}
        </Row>
        <Row tone={lights.rec.s} name="Recorder running" text={lights.rec.text}>
          {lights.rec.s === 'ok' ? (
            <Newest of="entry" at={last_entry} />
          ) : (
            <CopiedCode text={`curl -fsSL ${addresses.logbook}/recorder/install.sh | sh`} />
          )}
          {clocks.map(({ person, difference }) => (
            <div key={`${person} ${difference}`}>
              <Badge tone="warn">Wrong clock</Badge>{' '}
              <span className="muted">
                {person === null ? 'A' : <ForeignText text={`${person}'s`} most={80} />} laptop clock is{' '}
                {difference} the server's. Correct it, because log entries use its time.
              </span>
            </div>
          ))}
        </Row>
        <Row tone={lights.log.s} name="Log" text={lights.log.text}>
          {lights.log.s === 'none' ? (
            <CopiedCode text="git push" />
          ) : (
            <TeamLink href="/log">{lights.log.s === 'ok' ? 'View log' : 'What is missing?'}</TeamLink>
          )}
        </Row>
      </ul>
    </Card>
  )
}

function Row({
  tone,
  name,
  text,
  children,
}: {
  readonly tone: LightTone
  readonly name: string
  readonly text: string
  readonly children: ReactNode
}) {
  return (
    <li className="team-light">
      <Light tone={tone} label={name} size={20} />
      <div className="grow">
        <div className="strong">{name}</div>
        <div className="muted small">{text}</div>
        <div className="small">{children}</div>
      </div>
    </li>
  )
}

function Newest({ of, at }: { readonly of: string; readonly at: string | null }) {
  return (
    <span className="muted">
      last {of} <Moment at={at} as="ago" />
    </span>
  )
}
