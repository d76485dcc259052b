// Asks for the reason of a step that stays on record: could not judge, must not judge, or opened again.
import type { JudgementReply } from '@fairgate/contracts/judging/scores.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useAction } from '../../api/use-read.ts'
import { FormDialog } from '../../show/form-dialog.tsx'
import { TextField } from '../../show/text-field.tsx'
import { judgingPath } from '../judge-address.ts'
import { useTeamName } from '../queue-context.tsx'
import { useJudgement } from './judgement-context.tsx'
import { useJudgementStore } from './scoring-provider.tsx'
import { isUnsaved } from './write-behind.ts'

export type ReasonKind = 'unable' | 'conflict' | 'reopen'

const words: Readonly<
  Record<
    ReasonKind,
    { readonly title: (team: string) => string; readonly text: string; readonly verb: string }
  >
> = {
  unable: {
    title: team => `You could not judge ${team}`,
    text: 'For example because nothing was handed in, or you ran out of time. The team gets no scores from you. You can open it again.',
    verb: 'Give up this team',
  },
  conflict: {
    title: team => `You must not judge ${team}`,
    text: 'For example because you know, teach or employ someone of the team. The team leaves your list, what you scored no longer counts, and another judge gets it. You cannot undo this.',
    verb: 'Give to another judge',
  },
  reopen: {
    title: team => `Reopen ${team}`,
    text: 'Your scores do not count until you press Done again. The organisers see that you opened it, and why.',
    verb: 'Reopen',
  },
}

export function ReasonDialog({
  kind,
  team,
  onClose,
  onDone = () => undefined,
}: {
  readonly kind: ReasonKind
  readonly team: string
  readonly onClose: () => void
  readonly onDone?: () => void
}) {
  const store = useJudgementStore()
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const { title, text, verb } = words[kind]
  const judgement = useJudgement()
  // What is written stays with the judgement.
  const isSaving = kind === 'unable' && judgement !== null && isUnsaved(judgement.behind)
  useEffect(() => store.flush(), [store])
  const action = useAction<{ readonly reason: string }, JudgementReply>({
    method: 'POST',
    path: kind === 'conflict' ? judgingPath('teams', team, kind) : judgingPath('scores', team, kind),
    changes: [],
  })
  const confirm = () =>
    action.mutate(
      { reason: reason.trim() },
      {
        onSuccess: reply => {
          if (kind === 'conflict') void queries.invalidateQueries()
          else store.take(team, reply)
          onClose()
          onDone()
        },
      },
    )
  return (
    <FormDialog
      title={title(useTeamName(team))}
      verb={verb}
      isReady={reason.trim() !== '' && !isSaving}
      note={isSaving ? 'Saving what you wrote first…' : undefined}
      action={action}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{text}</p>
      <TextField
        label="Reason"
        description="It stays on record"
        required
        maxLength={200}
        value={reason}
        onChange={setReason}
      />
    </FormDialog>
  )
}
