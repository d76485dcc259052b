// The notes about one thing, with a form for a new one. Judges and organisers see it.

import { morePagesOf } from '../../../api/more-pages.ts'
import { Card } from '../../../show/card.tsx'
import { MoreButton } from '../../../show/more-button.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
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
  const count = read.data?.pages[0]?.total.count ?? 0
  return (
    <Card title="Notes" className="notes-card" {...(count === 0 ? {} : { note: String(count) })}>
      <div className="stack">
        <NewNote about={about} />
        <Loaded read={read} what="The notes" height={64}>
          {({ pages }) => {
            const notes = pages.flatMap(({ items }) => items)
            if (notes.length === 0)
              return <Empty>Nobody has written a note about this {about.subject} yet.</Empty>
            return (
              <>
                <ul className="stack" aria-label="Notes">
                  {notes.map(note => (
                    <li key={note.note_id}>
                      <NoteItem note={note} />
                    </li>
                  ))}
                </ul>
                <MoreButton more={morePagesOf(read)}>Show older notes</MoreButton>
              </>
            )
          }}
        </Loaded>
      </div>
    </Card>
  )
}
