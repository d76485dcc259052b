// The team's newest calls, each with its cost and outcome.

import type { CallItem } from '@fairgate/contracts/calls/call.ts'
import type { CallsPage } from '@fairgate/contracts/calls/call-list.ts'
import { readOf, useRead } from '../../api/use-read.ts'
import { formatCount } from '../../format/number.ts'
import { OutcomeBadge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { ForeignId } from '../../show/foreign.tsx'
import { List } from '../../show/list.tsx'
import { Moment } from '../../show/moment.tsx'
import { Cost } from '../../show/money.tsx'
import { TeamLink } from '../team-link.tsx'

const maxShown = 6

/** One read for both the list and the estimate of how many more calls fit the budget. */
export const newestCallsRead = readOf<CallsPage>('/self/calls', { limit: 10 })

export function NewestCalls() {
  const calls = useRead(newestCallsRead)
  const rows = calls.data?.items.slice(0, maxShown) ?? []
  return (
    <Card title="Recent calls" action={<TeamLink href="/calls">All calls</TeamLink>}>
      <List
        read={calls}
        rows={rows}
        what="The list of calls"
        height={160}
        none="No calls yet. Connect a tool, and its first call appears here within a second."
        next={<TeamLink href="/connect">Connect a tool</TeamLink>}
      >
        {() => <CallRows rows={rows} />}
      </List>
    </Card>
  )
}

export function CallRows({ rows }: { readonly rows: readonly CallItem[] }) {
  return (
    <ul className="call-rows">
      {rows.map(call => (
        <li key={call.call_id}>
          <CallRow call={call} />
        </li>
      ))}
    </ul>
  )
}

/** Two lines on a phone, one on wider screens. */
function CallRow({ call }: { readonly call: CallItem }) {
  const {
    call_id,
    model_served,
    model_asked,
    outcome,
    code,
    cost_nano,
    received_at,
    count,
    input_tokens,
    output_tokens,
  } = call
  return (
    <TeamLink href={`/calls?call=${encodeURIComponent(call_id)}`} className="call-row">
      <span className="mono muted call-when">
        <Moment at={received_at} as="clock" />
      </span>
      <ForeignId className="cut call-model" text={model_served ?? model_asked ?? call.endpoint} most={48} />
      <span className="call-outcome">
        <OutcomeBadge outcome={outcome} code={outcome === 'completed' ? null : code} />
      </span>
      <span className="muted small call-tokens">
        {input_tokens + output_tokens === 0
          ? ''
          : `${formatCount(input_tokens)} in, ${formatCount(output_tokens)} out`}
      </span>
      <span className="end strong nowrap call-cost">
        {outcome === 'refused' ? count > 1 ? `× ${count}` : '–' : <Cost nano={cost_nano} />}
      </span>
    </TeamLink>
  )
}
