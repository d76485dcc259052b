// Corrects what a call of the team has cost, up or down: which call, what it costs now, what it will cost, and why.

import type { OrganiserCallDetail } from '@fairgate/contracts/calls/call.ts'
import type { OrganiserCallsPage } from '@fairgate/contracts/calls/call-list.ts'
import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatExact } from '../../../format/money.ts'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { describeCallChange, unsaid } from '../../../show/call-change.tsx'
import { Dialog } from '../../../show/dialog.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Empty, Loaded, Skeleton } from '../../../show/states.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { readChange } from './read-change.ts'

const callIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function CorrectDialog({
  team,
  keyHash,
  callId,
  choose,
  onClose,
}: {
  readonly team: string
  /** Only calls of this key. */
  readonly keyHash: string | undefined
  /** The chosen call. */
  readonly callId: string | undefined
  readonly choose: (callId: string | undefined) => void
  readonly onClose: () => void
}) {
  return callId === undefined ? (
    <CorrectFrame onClose={onClose}>
      <ChooseCall team={team} keyHash={keyHash} choose={choose} />
    </CorrectFrame>
  ) : (
    <CorrectCall key={callId} team={team} callId={callId} choose={choose} onClose={onClose} />
  )
}

const title = 'Correct the spend'

/** Around what comes before the act itself. */
function CorrectFrame({ onClose, children }: { readonly onClose: () => void; readonly children: ReactNode }) {
  return (
    <Dialog title={title} size={560} onClose={onClose}>
      {children}
    </Dialog>
  )
}

const mostCalls = 20

function ChooseCall({
  team,
  keyHash,
  choose,
}: {
  readonly team: string
  readonly keyHash: string | undefined
  readonly choose: (callId: string) => void
}) {
  const [typed, setTyped] = useState('')
  const calls = useRead(
    readOf<OrganiserCallsPage>('/calls', {
      team_id: team,
      key: keyHash,
      outcome: 'completed',
      limit: mostCalls,
    }),
  )
  const id = typed.trim().toLowerCase()
  const isWrong = id !== '' && !callIdPattern.test(id)
  return (
    <div className="stack">
      <p>
        A correction belongs to a call, and counts in the budget periods of that call. To give the team more
        to spend, grant it instead.
      </p>
      <form
        className="row"
        onSubmit={event => {
          event.preventDefault()
          if (id !== '' && !isWrong) choose(id)
        }}
      >
        <TextField
          className="grow"
          label="Id of the call"
          description="As the answer named it in x-gateway-call-id"
          value={typed}
          error={isWrong ? 'This is not the id of a call.' : null}
          onChange={setTyped}
        />
        <Button type="submit" variant="default" disabled={id === '' || isWrong}>
          Go on
        </Button>
      </form>
      <h3>Or one of the newest calls{keyHash === undefined ? '' : ' of the key'}</h3>
      <Loaded read={calls} what="The calls" height={32} lines={4}>
        {({ items }) => {
          const charged = items.filter(({ cost_nano }) => cost_nano > 0)
          if (charged.length === 0) return <Empty>None of the newest calls was charged.</Empty>
          return (
            <ul className="correct-calls">
              {charged.map(({ call_id, model_served, left_nano, received_at, key_alias }) => (
                <li key={call_id}>
                  <button type="button" data-call={call_id} onClick={() => choose(call_id)}>
                    <Moment at={received_at} />
                    <span className="grow cut">
                      <ForeignText text={model_served ?? 'a call'} most={40} />
                      <span className="muted small">
                        {' '}
                        <ForeignText text={key_alias ?? ''} most={24} />
                      </span>
                    </span>
                    <span className="strong nowrap">{formatExact(left_nano)}</span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </div>
  )
}

function CorrectCall({
  team,
  callId,
  choose,
  onClose,
}: {
  readonly team: string
  readonly callId: string
  readonly choose: (callId: string | undefined) => void
  readonly onClose: () => void
}) {
  const read = useRead(readOf<OrganiserCallDetail>(`/calls/${encodeURIComponent(callId)}`))
  const other = (
    <Button variant="default" onClick={() => choose(undefined)}>
      Another call
    </Button>
  )
  const { data: call } = read
  const isRight = call !== undefined && call.team_id === team && call.cost_nano > 0
  // While another call is read, what was asked before is still here.
  if (isRight && !read.isPlaceholderData) return <CorrectForm call={call} onClose={onClose} />
  return (
    <CorrectFrame onClose={onClose}>
      {read.isPlaceholderData ? (
        <Skeleton lines={4} />
      ) : (
        <div className="stack">
          <Loaded read={read} what="The call" height={32} lines={4}>
            {found =>
              found.team_id !== team ? (
                <Empty action={other}>This is a call of another team.</Empty>
              ) : (
                <Empty action={other}>This call was not charged: there is nothing to correct.</Empty>
              )
            }
          </Loaded>
          {read.error === null ? null : other}
        </div>
      )}
    </CorrectFrame>
  )
}

function CorrectForm({
  call,
  onClose,
}: {
  readonly call: OrganiserCallDetail
  readonly onClose: () => void
}) {
  const [typed, setTyped] = useState('')
  // Pressed twice, or sent again after a broken line, it counts once.
  const [adjustmentId] = useState(newAdjustmentId)
  const nano = readChange(typed)
  const isTooMuch = nano !== null && call.left_nano + nano < 0
  const problem =
    typed.trim() === ''
      ? null
      : nano === null
        ? 'Type an amount in USD, such as 0.25 or -0.25.'
        : isTooMuch
          ? `At most ${formatExact(call.left_nano)} can be taken off.`
          : null
  return (
    <ActDialog
      title={title}
      request={{
        method: 'POST',
        path: `/calls/${encodeURIComponent(call.call_id)}/adjust`,
        body:
          nano === null || isTooMuch ? null : { amount_nano: nano, adjustment_id: adjustmentId, ...unsaid },
      }}
      verb={nano === null || isTooMuch ? 'Correct' : `Correct to ${formatExact(call.left_nano + nano)}`}
      undo="A correction of the opposite amount takes it back."
      describe={describeCallChange}
      onClose={onClose}
    >
      <p>
        Call of <Moment at={call.received_at} />,{' '}
        <ForeignText text={call.model_served ?? 'a call'} most={48} />: charged {formatExact(call.cost_nano)}
        {call.left_nano === call.cost_nano ? '' : `, ${formatExact(call.left_nano)} after corrections`}. The
        spend of team, key and model moves with it, in the periods of the call.
      </p>
      <TextField
        label="More or less, in USD"
        description="With a minus it costs less"
        value={typed}
        error={problem}
        onChange={setTyped}
        required
        data-autofocus
      />
    </ActDialog>
  )
}

/** Browsers offer UUIDs only on TLS and on this machine. */
function newAdjustmentId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${[...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')}`
}
