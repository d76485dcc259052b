// Remembers which transcripts belong to this repository, because a transcript does not say so, and from where on they count.

import { objectOf, textOf, textsOf } from '../json/members.ts'
import type { Notes } from '../spool/notes.ts'
import type { SessionPlaces } from './tool.ts'

export type SessionNote = {
  readonly tool: string
  readonly sessionId: string
  readonly transcript: string
  readonly model: string | null
  /** When it was first noticed (Unix ms). Earlier events do not count. */
  readonly notedAt: number
  /** The byte at which the part that counts begins. */
  readonly from: number
  /** Decide which repository an event belongs to; null: the one with this note. */
  readonly places: SessionPlaces | null
}

const prefix = 'transcript-'

/** Returns what is known of the transcript, with the model that the tool has named last. */
export function noteSession(
  notes: Notes,
  session: Omit<SessionNote, 'notedAt' | 'from'>,
  begin: () => Pick<SessionNote, 'notedAt' | 'from'>,
): SessionNote {
  const known = readSessionNote(notes, session.transcript)
  const model = session.model ?? known?.model ?? null
  const note = known === null ? { ...session, ...begin(), model } : { ...known, model }
  if (known === null || known.model !== model) notes.write(`${prefix}${session.transcript}`, note)
  return note
}

export function readSessionNote(notes: Notes, transcript: string): SessionNote | null {
  return parseNote(notes.read(`${prefix}${transcript}`))
}

export function readSessionNotes(notes: Notes): SessionNote[] {
  return notes
    .readAll(prefix)
    .map(parseNote)
    .filter(note => note !== null)
}

function parseNote(note: Record<string, unknown> | null): SessionNote | null {
  if (note === null) return null
  const [tool, transcript] = [textOf(note, 'tool'), textOf(note, 'transcript')]
  if (tool === null || transcript === null) return null
  const { notedAt, from } = note
  return {
    tool,
    transcript,
    sessionId: textOf(note, 'sessionId') ?? '',
    model: textOf(note, 'model'),
    notedAt: typeof notedAt === 'number' ? notedAt : 0,
    from: typeof from === 'number' ? from : 0,
    places: parsePlaces(objectOf(note, 'places')),
  }
}

function parsePlaces(places: Readonly<Record<string, unknown>>): SessionPlaces | null {
  const workingFolder = textOf(places, 'workingFolder')
  if (workingFolder === null) return null
  return {
    folders: textsOf(places, 'folders'),
    projectFolder: textOf(places, 'projectFolder'),
    calledFolder: textOf(places, 'calledFolder'),
    workingFolder,
  }
}
