// All notes of organisers and judges, the newest first: what was seen where, before the jury meets.

import type { NoteList } from '@fairgate/contracts/management/notes.ts'
import { Button, Select, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { readOf, useReadPages } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { Card } from '../../../show/card.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { NoteItem } from '../../notes/note-item.tsx'

export function NotesScreen() {
  const search = useSearch({ from: '/console/notes' })
  const navigate = useNavigate({ from: '/console/notes' })
  const { team, author, about } = search
  const isFiltered = team !== undefined || author !== undefined || about !== undefined
  const set = (change: Record<string, string | undefined>) =>
    void navigate({ search: old => ({ ...old, ...change }) })
  const notes = useReadPages(readOf<NoteList>('/notes', { team_id: team, author, subject: about, limit: 50 }))
  const items = notes.data?.pages.flatMap(page => page.items) ?? []
  const [first] = notes.data?.pages ?? []
  return (
    <>
      <PageHead
        title="Notes"
        beside={
          <span className="muted small">
            {first === undefined ? '' : countOf(first.total.count, 'note')} of organisers and judges
          </span>
        }
      />
      <div className="row wrap">
        <TextFilter label="Team id ↵" value={team} set={value => set({ team: value })} />
        <TextFilter label="Author ↵" value={author} set={value => set({ author: value })} />
        <Select
          aria-label="What the notes are about"
          placeholder="About anything"
          clearable
          value={about ?? null}
          onChange={value => set({ about: value ?? undefined })}
          data={[
            { value: 'team', label: 'Teams' },
            { value: 'session', label: 'Sessions' },
            { value: 'entry', label: 'Entries' },
          ]}
        />
      </div>
      <Card>
        <Loaded read={notes} what="The notes" height={300}>
          {() =>
            items.length === 0 ? (
              <Empty>
                {isFiltered
                  ? 'No note fits.'
                  : 'No notes yet. Write them on the page of a team, of a session or of an entry.'}
              </Empty>
            ) : (
              <ul className="stack notes">
                {items.map(note => (
                  <NoteItem key={note.note_id} note={note} isAlone />
                ))}
                {notes.hasNextPage ? (
                  <li>
                    <Button variant="default" onClick={() => void notes.fetchNextPage()}>
                      Older notes
                    </Button>
                  </li>
                ) : null}
              </ul>
            )
          }
        </Loaded>
      </Card>
    </>
  )
}

/** Taken with Enter, so that each letter does not ask the server. */
function TextFilter({
  label,
  value,
  set,
}: {
  readonly label: string
  readonly value: string | undefined
  readonly set: (value: string | undefined) => void
}) {
  const [text, setText] = useState(value ?? '')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        set(text.trim() === '' ? undefined : text.trim())
      }}
    >
      <TextInput
        aria-label={label.replace(' ↵', '')}
        placeholder={label}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
      />
    </form>
  )
}
