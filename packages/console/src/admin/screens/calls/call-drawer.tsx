// Drawer for one call: outcome, the limit that refused it, price breakdown, and its team, key and session.

import type { OrganiserCallDetail } from '@fairgate/contracts/calls/call.ts'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatExact, formatExactNano, parseMoney } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { formatUsd, namePrice } from '../../../format/price.ts'
import { formatDuration } from '../../../format/time.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { Badge, OutcomeBadge } from '../../../show/badge.tsx'
import { describeCallChange, unsaid } from '../../../show/call-change.tsx'
import { CopiedCode } from '../../../show/copy-button.tsx'
import { SideDialog } from '../../../show/dialog.tsx'
import { Explanation } from '../../../show/explanation.tsx'
import { FactList } from '../../../show/facts.tsx'
import { ForeignId, ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Loaded, PartError } from '../../../show/states.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { useMayOrganise } from '../../session-context.tsx'
import { AnnounceDialog } from '../messages/announce-dialog.tsx'
import { TeamLink } from '../teams/team-link.tsx'
import { RaiseLimit } from './raise-limit.tsx'
import { RefusalWindow } from './refusal-window.tsx'

export function CallDrawer({ callId, onClose }: { readonly callId: string; readonly onClose: () => void }) {
  const call = useRead(readOf<OrganiserCallDetail>(`/calls/${encodeURIComponent(callId)}`))
  return (
    <SideDialog title="Call" onClose={onClose}>
      {call.error === null ? (
        <Loaded read={call} what="The call" height={400}>
          {found => <CallDetail call={found} />}
        </Loaded>
      ) : (
        <PartError what="The call" failure={call.error} />
      )}
    </SideDialog>
  )
}

function CallDetail({ call }: { readonly call: OrganiserCallDetail }) {
  const mayOrganise = useMayOrganise()
  const [open, setOpen] = useState<'refund' | 'message' | null>(null)
  const { team_id: team, session, refusal, outcome } = call
  const wasCharged = call.cost_nano > 0
  return (
    <div className="stack">
      <div className="row wrap">
        <OutcomeBadge outcome={outcome} code={call.code} />
        {call.flag === null ? null : <Badge tone="warn">{call.flag.replaceAll('_', ' ')}</Badge>}
        {call.count > 1 ? <Badge>× {formatCount(call.count)}</Badge> : null}
      </div>
      {call.explanation === null ? null : (
        <p data-explanation>
          <Explanation text={call.explanation} />
        </p>
      )}
      {refusal === null ? null : <RefusalWindow call={call} refusal={refusal} />}
      {mayOrganise ? (
        <div className="row wrap">
          <RaiseLimit call={call} />
          {wasCharged ? (
            <Button variant="default" onClick={() => setOpen('refund')}>
              Refund…
            </Button>
          ) : null}
          <Button variant="default" onClick={() => setOpen('message')}>
            Message this team…
          </Button>
        </div>
      ) : null}
      {wasCharged ? <Price call={call} /> : null}
      <FactList
        facts={[
          ['Call id', <CopiedCode key="id" text={call.call_id} />],
          ['Team', <TeamLink key="team" team={team} />],
          [
            'Key',
            <Link key="key" to="/console/calls" search={{ key: call.key }}>
              <ForeignText text={call.key_alias || (call.key_name ?? 'deleted key')} />
            </Link>,
          ],
          [
            'Model',
            <code key="model">
              <ForeignText text={call.model_served ?? call.model_asked ?? '–'} />
            </code>,
          ],
          ['Kind', call.endpoint],
          ['Received', <Moment key="came" at={call.received_at} as="clock" />],
          ...(call.count > 1
            ? [['Last received', <Moment key="last" at={call.last_at} as="clock" />] as const]
            : []),
          [
            'Duration',
            `${formatDuration(call.duration_ms)}${call.first_byte_ms === null ? '' : `, first byte after ${formatDuration(call.first_byte_ms)}`}`,
          ],
          [
            'Upstream',
            call.upstream === null ? 'not called' : `${call.upstream}, key ${call.upstream_key ?? 'none'}`,
          ],
          [
            'Client',
            <ForeignText key="client" text={call.user_agent ?? call.tool ?? 'unknown'} most={120} />,
          ],
          ['Address', call.client_address ?? '–'],
          [
            'Session',
            session.id === null ? (
              <span key="session" className="faint">
                none
              </span>
            ) : (
              <Link
                key="session"
                to="/console/sessions/$team/$session"
                params={{ team, session: session.id }}
              >
                <ForeignId text={session.id} />
              </Link>
            ),
          ],
          [
            'Record',
            call.is_sealed ? (
              'matches its seal'
            ) : (
              <Badge key="seal" tone="bad">
                changed after it was sealed
              </Badge>
            ),
          ],
        ]}
      />
      {call.corrections.length === 0 ? null : (
        <section className="sunken-box">
          <h3>Corrections</h3>
          <ul className="stack">
            {call.corrections.map(({ adjustment_id, kind, amount_nano, at, reason }) => (
              <li key={adjustment_id}>
                {kind} of <span className="strong">{formatExact(amount_nano)}</span>, <Moment at={at} />:{' '}
                <ForeignText text={reason} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <p className="small muted">
        Prompts and answers are not stored with the call; they are in the team's log.
      </p>
      {open === 'refund' ? <RefundDialog call={call} onClose={() => setOpen(null)} /> : null}
      {open === 'message' ? <AnnounceDialog to={[team]} onClose={() => setOpen(null)} /> : null}
    </div>
  )
}

function Price({
  call: { price_lines: lines, cost_nano, left_nano },
}: {
  readonly call: OrganiserCallDetail
}) {
  return (
    <section className="sunken-box">
      <h3>Price breakdown</h3>
      {lines === null ? (
        <p className="small muted">
          Not available with current prices: the charge was an estimate, or prices have changed since.
        </p>
      ) : (
        <table className="table price-lines">
          <caption className="hidden-text">Price by unit</caption>
          <tbody>
            {lines.map(({ unit, count, rate, amount }) => (
              <tr key={unit}>
                <th scope="row">{namePrice(unit)}</th>
                <td className="end">{formatCount(count)}</td>
                <td className="end muted nowrap">{formatUsd(rate / 1e9)} / 1 M</td>
                <td className="end">{formatExactNano(amount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="row-between">
        <span>Charged</span>
        <span className="strong">{formatExact(cost_nano)}</span>
      </div>
      {left_nano === cost_nano ? null : (
        <div className="row-between">
          <span>After corrections</span>
          <span className="strong">{formatExact(left_nano)}</span>
        </div>
      )}
    </section>
  )
}

/** Refunds the rest of the charge or a part of it. */
function RefundDialog({
  call,
  onClose,
}: {
  readonly call: OrganiserCallDetail
  readonly onClose: () => void
}) {
  const [amount, setAmount] = useState('')
  const isAll = amount.trim() === ''
  const nano = isAll ? call.left_nano : parseMoney(amount)
  const isWrong = nano === null || nano <= 0 || nano > call.left_nano
  return (
    <ActionDialog
      title="Refund call"
      request={{
        method: 'POST',
        path: `/calls/${encodeURIComponent(call.call_id)}/refund`,
        body: isWrong ? null : { ...(isAll ? {} : { amount_nano: nano }), ...unsaid },
      }}
      verb={isWrong ? 'Refund' : `Refund ${formatExact(nano)}`}
      undo="To undo, correct by the opposite amount."
      describe={describeCallChange}
      onClose={onClose}
    >
      <TextField
        label="Amount in USD"
        description={`Leave empty to refund all of ${formatExact(call.left_nano)}`}
        value={amount}
        onChange={setAmount}
        error={
          !isAll && isWrong ? `Enter an amount above 0 and at most ${formatExact(call.left_nano)}` : null
        }
      />
    </ActionDialog>
  )
}
