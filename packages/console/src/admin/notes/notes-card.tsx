// The notes about one team, session or entry, with a form for another.

import type { NoteList } from '@fairgate/contracts/management/notes.ts'
import { Button } from '@mantine/core'
import { readOf, useReadPages } from '../../api/use-read.ts'
import { Card } from '../../show/card.tsx'
import { Loaded } from '../../show/states.tsx'
import { useMayTakeNotes } from '../session-context.tsx'
import { NewNote, type NoteSubject } from './note-form.tsx'
import { NoteItem } from './note-item.tsx'

export function NotesCard({ about }: { readonly about: NoteSubject }) {
  const mayTakeNotes = useMayTakeNotes()
  return mayTakeNotes ? <Notes about={about} /> : null
}

function Notes({ about }: { readonly about: NoteSubject }) {
  const { subject, team_id, session_id, seq } = about
  const notes = useReadPages(readOf<NoteList>('/notes', { subject, team_id, session_id, seq, limit: 20 }))
  const items = notes.data?.pages.flatMap(page => page.items) ?? []
  return (
    <Card title="Notes" note="teams never see them">
      <div className="stack">
        <NewNote about={about} />
        <Loaded read={notes} what="The notes" height={40} lines={1}>
          {() => (
            <ul className="stack notes">
              {items.map(note => (
                <NoteItem key={note.note_id} note={note} />
              ))}
            </ul>
          )}
        </Loaded>
        {notes.hasNextPage ? (
          <Button variant="default" onClick={() => void notes.fetchNextPage()}>
            Older notes
          </Button>
        ) : null}
      </div>
    </Card>
  )
}
