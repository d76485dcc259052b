// Notes of organisers and judges. All of them can read every note, but only its author or an organiser can change it.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  defaultNotesPage,
  type ListNotesQuery,
  type NewNoteBody,
  type Note,
  type NoteSubject,
  noteSubjects,
  type UpdateNoteBody,
} from '@fairgate/contracts/management/notes.ts'
import Type from 'typebox'
import { toAuditRow } from '../directory/audit.ts'
import { nextOfPageBefore, placeNumber, placeText, readPlace, writePlace } from '../directory/pages.ts'
import { refuseValue, requireTeam } from '../directory/refusals.ts'
import type { NoteRow } from '../store/statements/notes.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import type { Management } from './management-route.ts'

type Given = Pick<Management, 'read' | 'write' | 'directory' | 'clock'>

/** The caller who reads or changes notes. */
export type NoteCaller = Pick<AdminCaller, 'actor' | 'role'>

export type NotesPage = {
  readonly items: readonly Note[]
  readonly next: string | null
  readonly count: number
}

/** Enough for a jury of twenty that writes down everything. */
const maxPerTeam = 5000

export class NoteService {
  readonly #given: Given

  constructor(given: Given) {
    this.#given = given
  }

  /** The newest first. Throws ApiError `team_not_found`, `invalid_request`. */
  async list(query: ListNotesQuery, caller: NoteCaller): Promise<NotesPage> {
    const { read, directory } = this.#given
    if (query.team_id !== undefined) requireTeam(directory, query.team_id)
    const { session_id: sessionId, seq, limit = defaultNotesPage } = query
    if (sessionId !== undefined && seq !== undefined)
      throw refuseValue('seq', 'send either session_id or seq, not both.')
    const named = sessionId === undefined ? (seq === undefined ? null : 'entry') : 'session'
    if (named !== null && query.subject !== undefined && query.subject !== named)
      throw refuseValue('subject', `it must be "${named}" if one is named.`)
    const filter = {
      teamId: query.team_id ?? null,
      subject: named ?? query.subject ?? null,
      subjectId: sessionId ?? (seq === undefined ? null : String(seq)),
      author: query.author ?? null,
    }
    const after = query.after === undefined ? null : readCursor(query.after)
    const [rows, count] = await Promise.all([
      read.listNotes({ ...filter, after, limit: limit + 1 }),
      read.countNotes(filter),
    ])
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return {
      items: page.map(row => describe(row, caller)),
      next: rows.length > limit && last !== undefined ? writePlace([last.created_at, last.note_id]) : null,
      count,
    }
  }

  /** Throws ApiError `team_not_found`, `entry_not_found`, `invalid_request`, and `conflict` if the team already has too many. */
  async create(body: NewNoteBody, caller: NoteCaller): Promise<Note> {
    const { read, write, directory, clock } = this.#given
    const { subject, team_id: teamId, text } = body
    requireTeam(directory, teamId)
    const subjectId = readSubject(body)
    if (subject === 'entry' && ((await read.readBoard({ teamId }))?.headSeq ?? 0) < Number(subjectId))
      throw new ApiError('entry_not_found', { param: 'seq' })
    const count = await read.countNotes({ teamId, subject: null, subjectId: null, author: null })
    if (count >= maxPerTeam)
      throw new ApiError('conflict', { message: `This team already has ${count} notes.` })
    const now = clock()
    const note: NoteRow = {
      note_id: `nt_${Bun.randomUUIDv7()}`,
      subject,
      team_id: teamId,
      subject_id: subjectId,
      text,
      author: caller.actor,
      created_at: now,
      updated_at: now,
    }
    // The text is in the note itself.
    const states = { before: null, after: { subject, subject_id: subjectId } }
    await write.insertNote({ note, audit: audit('note.create', note, caller, states, null, now) })
    return describe(note, caller)
  }

  /** Throws ApiError `note_not_found`, `admin_forbidden`, and `conflict` if someone else has changed it meanwhile. */
  async update(noteId: string, { text, reason }: UpdateNoteBody, caller: NoteCaller): Promise<Note> {
    const { write, clock } = this.#given
    const note = await this.#findOwn(noteId, caller)
    if (note.text === text) return describe(note, caller)
    const now = clock()
    const states = { before: { text: note.text }, after: { text } }
    const isWritten = await write.updateNote({
      noteId,
      seen: note.text,
      text,
      now,
      audit: audit('note.update', note, caller, states, reason, now),
    })
    if (!isWritten)
      throw new ApiError('conflict', {
        message: 'Someone else has changed this note. Nothing was changed; read it again.',
      })
    return describe({ ...note, text, updated_at: now }, caller)
  }

  /** Throws ApiError `note_not_found`, `admin_forbidden`. */
  async remove(noteId: string, reason: string | undefined, caller: NoteCaller): Promise<Note> {
    const note = await this.#findOwn(noteId, caller)
    const { subject, subject_id, author, text } = note
    const states = { before: { subject, subject_id, author, text }, after: null }
    const row = audit('note.delete', note, caller, states, reason, this.#given.clock())
    if (!(await this.#given.write.deleteNote({ id: noteId, audit: row }))) throw notFound()
    return describe(note, caller)
  }

  async #findOwn(noteId: string, caller: NoteCaller): Promise<NoteRow> {
    const note = await this.#given.read.findNote({ noteId })
    if (note === null) throw notFound()
    if (mayChange(note, caller)) return note
    throw new ApiError('admin_forbidden', {
      message: `This note belongs to ${note.author}. Only its author or an organiser can change it.`,
    })
  }
}

function mayChange({ author }: NoteRow, { actor, role }: NoteCaller): boolean {
  return author === actor || role === 'organiser'
}

function notFound(): ApiError {
  return new ApiError('note_not_found', { param: 'note_id' })
}

/** Throws ApiError `invalid_request`. */
function readSubject({ subject, session_id, seq }: NewNoteBody): string {
  const given = { session_id: session_id ?? null, seq: seq ?? null }
  const wanted = ({ team: null, session: 'session_id', entry: 'seq' } as const)[subject]
  for (const name of ['session_id', 'seq'] as const) {
    if (name !== wanted && given[name] !== null)
      throw refuseValue(name, `leave it out of a note about ${subject === 'entry' ? 'an' : 'a'} ${subject}.`)
    if (name === wanted && given[name] === null)
      throw refuseValue(name, `a note about ${subject === 'entry' ? 'an entry' : 'a session'} names it.`)
  }
  return String(wanted === null ? '' : given[wanted])
}

function describe(row: NoteRow, caller: NoteCaller): Note {
  return {
    note_id: row.note_id,
    subject: readKind(row.subject),
    team_id: row.team_id,
    session_id: row.subject === 'session' ? row.subject_id : null,
    seq: row.subject === 'entry' ? Number(row.subject_id) : null,
    text: row.text,
    author: row.author,
    may_change: mayChange(row, caller),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

function readKind(text: string): NoteSubject {
  const known = noteSubjects.find(name => name === text)
  if (known === undefined) throw new Error('The database has a note with an unknown subject.')
  return known
}

function audit(
  action: string,
  { note_id: target, team_id: teamId }: NoteRow,
  { actor }: NoteCaller,
  states: { readonly before: object | null; readonly after: object | null },
  reason: string | null | undefined,
  now: number,
) {
  return toAuditRow({ now, actor, reason }, { action, teamId, target, ...states })
}

const notePlace = Type.Tuple([placeNumber, placeText])

/** Throws ApiError `invalid_request`. */
function readCursor(cursor: string): { readonly createdAt: number; readonly noteId: string } {
  const [createdAt, noteId] = readPlace(notePlace, cursor, { message: nextOfPageBefore })
  return { createdAt, noteId }
}
