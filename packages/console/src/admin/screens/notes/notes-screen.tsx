// All notes about teams, sessions and entries, newest first, each with the way to what it is about.

import type { Note } from '@fairgate/contracts/management/notes.ts'
import { Button } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { morePagesOf } from '../../../api/more-pages.ts'
import { countOf } from '../../../format/number.ts'
import { shortenSession } from '../../../format/session.ts'
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { MoreButton } from '../../../show/more-button.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { useSession } from '../../session-context.tsx'
import { useTeamName } from '../teams/team-link.tsx'
import { TeamSelect } from '../teams/team-select.tsx'
import { aboutWords } from './note-about.ts'
import { NoteItem } from './note-item.tsx'
import { useNotes } from './use-notes.ts'

const from = '/console/notes'

export function NotesScreen() {
  const { role } = useSession()
  if (role !== 'operator') return <AllNotes />
  return (
    <>
      <PageHead title="Notes" />
      <Card>
        <Empty>Only organisers and judges read notes.</Empty>
      </Card>
    </>
  )
}

const kinds = [
  { kind: undefined, word: 'All' },
  { kind: 'team', word: 'Teams' },
  { kind: 'session', word: 'Sessions' },
  { kind: 'entry', word: 'Entries' },
] as const

function AllNotes() {
  const { team, author, kind: asked } = useSearch({ from })
  const { name } = useSession()
  const navigate = useNavigate({ from })
  const kind = kinds.find(each => each.kind === asked)?.kind
  const read = useNotes({ team_id: team, subject: kind, author, limit: 50 })
  const set = (change: Readonly<Record<string, string | undefined>>) =>
    void navigate({ search: old => ({ ...old, ...change }) })
  const total = read.data?.pages[0]?.total.count
  const nameTeam = useTeamName()
  const isFiltered = team !== undefined || author !== undefined || kind !== undefined
  return (
    <>
      <PageHead title="Notes" />
      <search className="row wrap">
        <TeamSelect value={team} onChange={value => set({ team: value })} />
        {kinds.map(({ kind: each, word }) => (
          <button
            key={word}
            type="button"
            className="chip"
            aria-pressed={each === kind}
            onClick={() => set({ kind: each })}
          >
            {word}
          </button>
        ))}
        <button
          type="button"
          className="chip"
          aria-pressed={author === name}
          onClick={() => set({ author: author === name ? undefined : name })}
        >
          Mine
        </button>
        {author === undefined || author === name ? null : (
          <button type="button" className="chip" aria-pressed onClick={() => set({ author: undefined })}>
            by <ForeignText text={author} most={24} /> ×
          </button>
        )}
        {total === undefined ? null : <span className="muted">{countOf(total, 'note')}</span>}
      </search>
      <Card>
        <Loaded read={read} what="The notes" height={64} lines={4}>
          {({ pages }) => {
            const notes = pages.flatMap(({ items }) => items)
            if (notes.length === 0)
              return isFiltered ? (
                <Empty
                  action={
                    <Button
                      variant="default"
                      onClick={() => set({ team: undefined, author: undefined, kind: undefined })}
                    >
                      Clear the filter
                    </Button>
                  }
                >
                  No note passes the filter.
                </Empty>
              ) : (
                <Empty action={<Link to="/console/teams">To the teams</Link>}>
                  Nobody has written a note yet. Write one beside a team, a session or an entry.
                </Empty>
              )
            return (
              <div className="stack">
                <ul className="stack" aria-label="Notes">
                  {notes.map(note => (
                    <li key={note.note_id}>
                      <NoteItem
                        note={note}
                        head={
                          <>
                            <AboutLink note={note} team={nameTeam(note.team_id)} />
                            {author === note.author ? null : (
                              <button
                                type="button"
                                className="chip"
                                onClick={() => set({ author: note.author })}
                              >
                                only by <ForeignText text={note.author} most={24} />
                              </button>
                            )}
                          </>
                        }
                      />
                    </li>
                  ))}
                </ul>
                <MoreButton more={morePagesOf(read)}>Show older notes</MoreButton>
              </div>
            )
          }}
        </Loaded>
      </Card>
    </>
  )
}

/** Leads to what the note is about. */
function AboutLink({ note, team }: { readonly note: Note; readonly team: string }) {
  const { subject, team_id, session_id, seq } = note
  const name = <ForeignText text={team} most={32} />
  if (subject === 'session' && session_id !== null)
    return (
      <Link to="/console/sessions/$team/$session" params={{ team: team_id, session: session_id }}>
        {aboutWords.session} <ForeignText text={shortenSession(session_id)} /> of {name}
      </Link>
    )
  if (subject === 'entry' && seq !== null)
    return (
      <Link to="/console/entries/$team/$seq" params={{ team: team_id, seq: String(seq) }}>
        {aboutWords.entry} {seq} of {name}
      </Link>
    )
  return (
    <Link to="/console/teams/$team/$tab" params={{ team: team_id, tab: 'notes' }}>
      {aboutWords.team} {name}
    </Link>
  )
}
