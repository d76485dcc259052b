// Notes of organisers and judges on disk. When a note is changed or deleted, the audit keeps its previous text.
import { type Kysely, type Selectable, sql } from 'kysely'
import type { NotesTable } from '../schema/notices.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit, deleteAudited } from './audit.ts'

export type NoteRow = Selectable<NotesTable>

/** Null means no limit. */
export type NotesFilter = {
  readonly teamId: string | null
  readonly subject: string | null
  readonly subjectId: string | null
  readonly author: string | null
}

export type ListNotesInput = NotesFilter & {
  /** Only notes that come after this one in the list; null for the first page. */
  readonly after: { readonly createdAt: number; readonly noteId: string } | null
  readonly limit: number
}

function select(db: Kysely<Schema>, { teamId, subject, subjectId, author }: NotesFilter) {
  let query = db.selectFrom('notes')
  if (teamId !== null) query = query.where('team_id', '=', teamId)
  if (subject !== null) query = query.where('subject', '=', subject)
  if (subjectId !== null) query = query.where('subject_id', '=', subjectId)
  if (author !== null) query = query.where('author', '=', author)
  return query
}

/** `select * from notes [where …] order by created_at desc, note_id desc limit ?` */
export async function listNotes(
  db: Kysely<Schema>,
  { after, limit, ...filter }: ListNotesInput,
): Promise<NoteRow[]> {
  let query = select(db, filter).selectAll()
  if (after !== null)
    query = query.where(sql<boolean>`(created_at, note_id) < (${after.createdAt}, ${after.noteId})`)
  return await query.orderBy('created_at', 'desc').orderBy('note_id', 'desc').limit(limit).execute()
}

/** `select count(*) from notes [where …]` */
export async function countNotes(db: Kysely<Schema>, filter: NotesFilter): Promise<number> {
  const { count } = await select(db, filter)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** `select * from notes where note_id = ?` */
export async function findNote(
  db: Kysely<Schema>,
  { noteId }: { readonly noteId: string },
): Promise<NoteRow | null> {
  // PostgreSQL rejects such a text even in a query.
  if (noteId.includes('\0')) return null
  const row = await db.selectFrom('notes').selectAll().where('note_id', '=', noteId).executeTakeFirst()
  return row ?? null
}

export async function insertNote(
  db: Kysely<Schema>,
  { note, audit }: { readonly note: NoteRow; readonly audit: AuditEntry },
): Promise<void> {
  await db.insertInto('notes').values(note).execute()
  await appendAudit(db, [audit])
}

export type UpdateNoteInput = {
  readonly noteId: string
  /** The text that the change was made from. */
  readonly seen: string
  readonly text: string
  readonly now: number
  readonly audit: AuditEntry
}

/** False if the note no longer exists or has another text by now; nothing is written then. */
export async function updateNote(
  db: Kysely<Schema>,
  { noteId, seen, text, now, audit }: UpdateNoteInput,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('notes')
    .set({ text, updated_at: now })
    .where('note_id', '=', noteId)
    .where('text', '=', seen)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await appendAudit(db, [audit])
  return true
}

export const deleteNote = deleteAudited('notes', 'note_id')
