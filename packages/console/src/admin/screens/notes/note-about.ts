// The subject of a note: a team, session or entry, as the note routes name it.
import type { Note } from '@fairgate/contracts/management/notes.ts'

export type NoteAbout =
  | { readonly subject: 'team'; readonly team: string }
  | { readonly subject: 'session'; readonly team: string; readonly session: string }
  | { readonly subject: 'entry'; readonly team: string; readonly seq: number }

type Named = {
  readonly subject: Note['subject']
  readonly team_id: string
  readonly session_id?: string
  readonly seq?: number
}

/** Members for the query, and for the body of a new note. */
export function nameAbout(about: NoteAbout): Named {
  const { subject, team } = about
  switch (subject) {
    case 'team':
      return { subject, team_id: team }
    case 'session':
      return { subject, team_id: team, session_id: about.session }
    case 'entry':
      return { subject, team_id: team, seq: about.seq }
  }
}

export const aboutWords: Readonly<Record<Note['subject'], string>> = {
  team: 'Team',
  session: 'Session',
  entry: 'Entry',
}
