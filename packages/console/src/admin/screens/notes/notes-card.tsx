// Notes about one team, session or entry, with a form for a new one. Only judges and organisers see it.

import { Card } from '../../../show/card.tsx'
import { List } from '../../../show/list.tsx'
import { MoreButton } from '../../../show/more-button.tsx'
import { useSession } from '../../session-context.tsx'
import { NewNote } from './new-note.tsx'
import { type NoteAbout, nameAbout } from './note-about.ts'
import { NoteItem } from './note-item.tsx'
import { useNotes } from './use-notes.ts'

export function NotesCard({ about }: { readonly about: NoteAbout }) {
  const { role } = useSession()
  return role === 'operator' ? null : <Notes key={JSON.stringify(about)} about={about} />
}

function Notes({ about }: { readonly about: NoteAbout }) {
  const read = useNotes({ ...nameAbout(about), limit: 50 })
  const count = read.first?.total.count ?? 0
  return (
    <Card title="Notes" className="notes-card" {...(count === 0 ? {} : { note: String(count) })}>
      <div className="stack">
        <NewNote about={about} />
        <List
          read={read}
          rows={read.rows}
          what="The notes"
          height={64}
          none={`No notes about this ${about.subject} yet`}
        >
          {() => (
            <>
              <ul className="stack" aria-label="Notes">
                {read.rows.map(note => (
                  <li key={note.note_id}>
                    <NoteItem note={note} />
                  </li>
                ))}
              </ul>
              <MoreButton more={read.more}>Show older notes</MoreButton>
            </>
          )}
        </List>
      </div>
    </Card>
  )
}
