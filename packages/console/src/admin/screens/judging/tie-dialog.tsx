// The head judge's decision between equal teams: they are put in order, with a reason that is published.
import type { DecideTieBody, ResultsReply } from '@fairgate/contracts/judging/results.ts'
import { ActionIcon } from '@mantine/core'
import { ArrowUp } from 'lucide-react'
import { useState } from 'react'
import { useAction } from '../../../api/use-read.ts'
import { ForeignName } from '../../../show/foreign.tsx'
import { FormDialog } from '../../../show/form-dialog.tsx'
import { TextField } from '../../../show/text-field.tsx'

export function TieDialog({
  teams,
  names,
  onClose,
}: {
  readonly teams: readonly string[]
  readonly names: ReadonlyMap<string, string>
  readonly onClose: () => void
}) {
  const [order, setOrder] = useState(teams)
  const [reason, setReason] = useState('')
  const decide = useAction<DecideTieBody, ResultsReply>({
    method: 'POST',
    path: '/judging/results/ties',
    changes: ['/judging/results'],
    done: 'Tie decided',
  })
  const raise = (place: number) =>
    setOrder(order.with(place - 1, order[place] ?? '').with(place, order[place - 1] ?? ''))
  return (
    <FormDialog
      title="Decide a tie"
      verb="Decide"
      isReady={reason.trim() !== ''}
      action={decide}
      note="The reason is published with the results."
      onConfirm={() => decide.mutate({ teams: [...order], reason: reason.trim() }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <ol className="stack-tight">
        {order.map((teamId, place) => (
          <li key={teamId} className="row-between">
            <span>
              {place + 1}. <ForeignName name={names.get(teamId) ?? teamId} />
            </span>
            <ActionIcon
              variant="default"
              aria-label={`Move ${names.get(teamId) ?? teamId} up`}
              disabled={place === 0}
              onClick={() => raise(place)}
            >
              <ArrowUp size={16} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ol>
      <TextField label="Reason" value={reason} maxLength={1000} onChange={setReason} required />
    </FormDialog>
  )
}
