// Form for a new note about a team, session or entry.
import type { NewNoteBody, NoteReply } from '@fairgate/contracts/management/notes.ts'
import { useAction } from '../../../api/use-read.ts'
import { type NoteAbout, nameAbout } from './note-about.ts'
import { NoteField } from './note-field.tsx'
import { useDraft } from './use-draft.ts'

export function NewNote({ about }: { readonly about: NoteAbout }) {
  const named = nameAbout(about)
  const { text, write } = useDraft(['new', about.subject, about.team, named.session_id ?? named.seq ?? ''])
  const create = useAction<NewNoteBody, NoteReply>({ method: 'POST', path: '/notes', changes: ['/notes'] })
  return (
    <NoteField
      label="New note"
      verb="Save note"
      text={text}
      write={write}
      isSaving={create.isPending}
      failure={create.error}
      save={given => create.mutate({ ...named, text: given }, { onSuccess: () => write('') })}
    />
  )
}
