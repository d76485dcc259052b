// Dialog that corrects the cost of a call, up or down: choose the call, enter the change, preview it and give a reason.

import type { OrganiserCallDetail } from '@fairgate/contracts/calls/call.ts'
import type { OrganiserCallsPage } from '@fairgate/contracts/calls/call-list.ts'
import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatExact } from '../../../format/money.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
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
  /** Lists only calls of this key. */
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

const title = 'Correct spend'

/** Dialog around the steps before the correction itself. */
function CorrectFrame({ onClose, children }: { readonly onClose: () => void; readonly children: ReactNode }) {
  return (
    <Dialog title={title} size={560} onClose={onClose}>
      {children}
    </Dialog>
  )
}

const maxCalls = 20

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
      limit: maxCalls,
    }),
  )
  const id = typed.trim().toLowerCase()
  const isWrong = id !== '' && !callIdPattern.test(id)
  return (
    <div className="stack">
      <p>
        A correction changes the cost of one call and counts in that call's budget periods. To give the team
        more money, use a grant instead.
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
          label="Call id"
          description="The x-gateway-call-id header of the response"
          value={typed}
          error={isWrong ? 'Enter a valid call id' : null}
          onChange={setTyped}
        />
        <Button type="submit" variant="default" disabled={id === '' || isWrong}>
          Continue
        </Button>
      </form>
      <h3>Or pick a recent call{keyHash === undefined ? '' : ' of this key'}</h3>
      <Loaded read={calls} what="The calls" height={32} lines={4}>
        {({ items }) => {
          const charged = items.filter(({ cost_nano }) => cost_nano > 0)
          if (charged.length === 0) return <Empty>None of the latest calls were charged.</Empty>
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
      Choose another call
    </Button>
  )
  const { data: call } = read
  const isRight = call !== undefined && call.team_id === team && call.cost_nano > 0
  // While another call loads, `data` still holds the previous one.
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
                <Empty action={other}>This call belongs to another team.</Empty>
              ) : (
                <Empty action={other}>This call was not charged, so there is nothing to correct.</Empty>
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
  // Keeps a double click or a retry after a lost connection from counting twice.
  const [adjustmentId] = useState(newAdjustmentId)
  const nano = readChange(typed)
  const isTooMuch = nano !== null && call.left_nano + nano < 0
  const problem =
    typed.trim() === ''
      ? null
      : nano === null
        ? 'Enter an amount in USD, such as 0.25 or -0.25'
        : isTooMuch
          ? `Lower the cost by at most ${formatExact(call.left_nano)}`
          : null
  return (
    <ActionDialog
      title={title}
      request={{
        method: 'POST',
        path: `/calls/${encodeURIComponent(call.call_id)}/adjust`,
        body:
          nano === null || isTooMuch ? null : { amount_nano: nano, adjustment_id: adjustmentId, ...unsaid },
      }}
      verb={nano === null || isTooMuch ? 'Correct' : `Correct to ${formatExact(call.left_nano + nano)}`}
      undo="To undo, correct by the opposite amount."
      describe={describeCallChange}
      onClose={onClose}
    >
      <p>
        Call of <Moment at={call.received_at} />,{' '}
        <ForeignText text={call.model_served ?? 'a call'} most={48} />: charged {formatExact(call.cost_nano)}
        {call.left_nano === call.cost_nano ? '' : `, ${formatExact(call.left_nano)} after corrections`}. The
        spend of team, key and model changes too, in the call's periods.
      </p>
      <TextField
        label="Change in USD"
        description="Use a negative amount to lower the cost"
        value={typed}
        error={problem}
        onChange={setTyped}
        required
        data-autofocus
      />
    </ActionDialog>
  )
}

/** Browsers offer `randomUUID` only over TLS and on localhost. */
function newAdjustmentId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${[...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')}`
}
