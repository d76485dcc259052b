// Notes screen: all notes about teams, sessions and entries, newest first, each with a link to its subject.

import type { Note } from '@fairgate/contracts/management/notes.ts'
import { Link } from '@tanstack/react-router'
import { countOf } from '../../../format/number.ts'
import { shortenSession } from '../../../format/session.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { Card } from '../../../show/card.tsx'
import { Chip, ChoiceChips, FilterChip } from '../../../show/chips.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { List } from '../../../show/list.tsx'
import { MoreButton } from '../../../show/more-button.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty } from '../../../show/states.tsx'
import { useSession } from '../../session-context.tsx'
import { useTeamName } from '../teams/team-link.tsx'
import { TeamSelect } from '../teams/team-select.tsx'
import { aboutWords } from './note-about.ts'
import { NoteItem } from './note-item.tsx'
import { useNotes } from './use-notes.ts'

export function NotesScreen() {
  const { role } = useSession()
  if (role !== 'operator') return <AllNotes />
  return (
    <>
      <PageHead title="Notes" />
      <Card>
        <Empty>Only organisers and judges can see notes.</Empty>
      </Card>
    </>
  )
}

const kinds = [
  { value: undefined, label: 'All' },
  { value: 'team', label: 'Teams' },
  { value: 'session', label: 'Sessions' },
  { value: 'entry', label: 'Entries' },
] as const

function AllNotes() {
  const { search, set, clear } = useAddress()
  const { team, author, kind: asked } = search
  const { name } = useSession()
  const kind = kinds.find(({ value }) => value === asked)?.value
  const read = useNotes({ team_id: team, subject: kind, author, limit: 50 })
  const total = read.first?.total.count
  const nameTeam = useTeamName()
  const isFiltered = team !== undefined || author !== undefined || kind !== undefined
  return (
    <>
      <PageHead title="Notes" />
      <search className="row wrap">
        <TeamSelect value={team} onChange={value => set({ team: value })} />
        <ChoiceChips choices={kinds} value={kind} onChange={value => set({ kind: value })} />
        <Chip isOn={author === name} onPress={() => set({ author: author === name ? undefined : name })}>
          Mine
        </Chip>
        {author === undefined || author === name ? null : (
          <FilterChip onClear={() => set({ author: undefined })}>
            by <ForeignText text={author} most={24} />
          </FilterChip>
        )}
        {total === undefined ? null : <span className="muted">{countOf(total, 'note')}</span>}
      </search>
      <Card>
        <List
          read={read}
          rows={read.rows}
          what="The notes"
          height={64}
          lines={4}
          none="No notes yet. Add one on the page of a team, session or entry."
          next={<Link to="/console/teams">Go to teams</Link>}
          filter={isFiltered ? { none: 'No notes match this filter.', clear } : null}
        >
          {() => (
            <div className="stack">
              <ul className="stack" aria-label="Notes">
                {read.rows.map(note => (
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
              <MoreButton more={read.more}>Show older notes</MoreButton>
            </div>
          )}
        </List>
      </Card>
    </>
  )
}

/** Links to the note's subject. */
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
