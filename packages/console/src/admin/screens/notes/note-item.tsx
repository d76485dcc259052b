// One note with author, time and text, and buttons to edit and delete it if the session may.
import type { Note, NoteReply, UpdateNoteBody } from '@fairgate/contracts/management/notes.ts'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useAction } from '../../../api/use-read.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { AskDialog } from '../../../show/ask-dialog.tsx'
import { ForeignBlock, ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { NoteField } from './note-field.tsx'
import { useDraft, useHasDraft } from './use-draft.ts'

const draftOf = ({ note_id }: Note) => ['note', note_id]

export function NoteItem({ note, head }: { readonly note: Note; readonly head?: ReactNode }) {
  const { send } = usePageParts()
  const queries = useQueryClient()
  const hasDraft = useHasDraft(draftOf(note))
  const [isEdited, setEdited] = useState(hasDraft && note.may_change)
  const [isAsked, setAsked] = useState(false)
  const { note_id, author, created_at, updated_at, text, may_change } = note
  return (
    <div className="sunken-box" data-note={note_id}>
      <div className="row-between wrap">
        <span className="row wrap small">
          {head}
          <ForeignText text={author} most={40} className="strong" />
          <span className="muted">
            <Moment at={created_at} as="ago" />
            {updated_at === created_at ? null : (
              <>
                , edited <Moment at={updated_at} as="ago" />
              </>
            )}
          </span>
        </span>
        {may_change && !isEdited ? (
          <span className="row">
            <Button size="compact-xs" variant="default" onClick={() => setEdited(true)}>
              Edit
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => setAsked(true)}>
              Delete…
            </Button>
          </span>
        ) : null}
      </div>
      {isEdited ? <EditNote note={note} close={() => setEdited(false)} /> : <ForeignBlock text={text} />}
      {isAsked ? (
        <AskDialog
          title="Delete note"
          verb="Delete note"
          isDanger
          onClose={() => setAsked(false)}
          action={async reason => {
            await send('DELETE', `/notes/${encodeURIComponent(note_id)}`, {
              query: reason === null ? {} : { reason },
            })
            await queries.invalidateQueries({ queryKey: ['/notes'] })
          }}
        >
          <p>
            The note by <ForeignText text={author} most={40} /> will be deleted for everyone. The audit log
            keeps its text.
          </p>
        </AskDialog>
      ) : null}
    </div>
  )
}

function EditNote({ note, close }: { readonly note: Note; readonly close: () => void }) {
  const { text, write, forget } = useDraft(draftOf(note), note.text)
  const update = useAction<UpdateNoteBody, NoteReply>({
    done: 'Note saved',
    method: 'POST',
    path: `/notes/${encodeURIComponent(note.note_id)}`,
    changes: ['/notes'],
  })
  const end = () => {
    forget()
    close()
  }
  return (
    <NoteField
      label="Note text"
      verb="Save changes"
      text={text}
      write={write}
      isSaving={update.isPending}
      failure={update.error}
      save={given => update.mutate({ text: given }, { onSuccess: end })}
      cancel={end}
    />
  )
}
