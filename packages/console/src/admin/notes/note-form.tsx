// Writes a note, or changes the text of one.

import type { NoteReply, noteSubjects } from '@fairgate/contracts/management/notes.ts'
import { Alert, Button, Textarea } from '@mantine/core'
import { useAct } from '../../api/use-read.ts'
import { formatCount } from '../../format/number.ts'
import { useDraft } from './use-draft.ts'

/** As the server's rule. */
const longest = 4000

export type NoteSubject = {
  readonly subject: (typeof noteSubjects)[number]
  readonly team_id: string
  readonly session_id: string | null
  readonly seq: number | null
}

export function NewNote({ about }: { readonly about: NoteSubject }) {
  const { subject, team_id, session_id, seq } = about
  const [text, setText] = useDraft(`note ${subject} ${team_id} ${session_id ?? ''} ${seq ?? ''}`)
  const add = useAct<object, NoteReply>({ method: 'POST', path: '/notes', changes: ['/notes'] })
  return (
    <TextForm
      label="New note"
      verb="Add the note"
      text={text}
      setText={setText}
      isBusy={add.isPending}
      failure={add.error?.message ?? null}
      send={() => add.mutate({ ...about, text: text.trim() }, { onSuccess: () => setText('') })}
    />
  )
}

export function ChangedNote({
  noteId,
  text: before,
  onClose,
}: {
  readonly noteId: string
  readonly text: string
  readonly onClose: () => void
}) {
  const [draft, setDraft] = useDraft(`change of ${noteId}`)
  const text = draft === '' ? before : draft
  const change = useAct<object, NoteReply>({
    method: 'POST',
    path: `/notes/${encodeURIComponent(noteId)}`,
    changes: ['/notes'],
  })
  const close = () => {
    setDraft('')
    onClose()
  }
  return (
    <TextForm
      label="Text of the note"
      verb="Save"
      text={text}
      setText={setDraft}
      isBusy={change.isPending}
      failure={change.error?.message ?? null}
      send={() => change.mutate({ text: text.trim() }, { onSuccess: close })}
      cancel={close}
    />
  )
}

function TextForm({
  label,
  verb,
  text,
  setText,
  isBusy,
  failure,
  send,
  cancel,
}: {
  readonly label: string
  readonly verb: string
  readonly text: string
  readonly setText: (text: string) => void
  readonly isBusy: boolean
  readonly failure: string | null
  readonly send: () => void
  readonly cancel?: () => void
}) {
  const over = text.trim().length - longest
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        if (text.trim() !== '' && over <= 0) send()
      }}
    >
      <Textarea
        aria-label={label}
        placeholder="Only organisers and judges read it."
        autosize
        minRows={2}
        maxRows={12}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
            event.currentTarget.form?.requestSubmit()
        }}
        error={over > 0 ? `${formatCount(over)} characters too many: at most ${formatCount(longest)}.` : null}
      />
      {failure === null ? null : (
        <Alert color="red" role="alert">
          {failure}
        </Alert>
      )}
      <div className="row">
        <Button type="submit" size="xs" loading={isBusy} disabled={text.trim() === '' || over > 0}>
          {verb}
        </Button>
        {cancel === undefined ? null : (
          <Button variant="default" size="xs" onClick={cancel}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  )
}
