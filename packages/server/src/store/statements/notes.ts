// The notes of organisers and judges on disk. What is changed or deleted leaves its text of before in the audit.
import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import type { NotesTable } from '../schema/watching.ts'
import { type AuditEntry, appendAudit } from './audit.ts'

export type NoteRow = Selectable<NotesTable>

export type ListNotesInput = {
  /** Null does not limit. */
  readonly teamId: string | null
  readonly subject: string | null
  readonly subjectId: string | null
  readonly author: string | null
  /** Only notes that come behind this one in the list; null for the first page. */
  readonly after: Pick<NoteRow, 'created_at' | 'note_id'> | null
  readonly limit: number
}

/** `select * from notes [where …] order by created_at desc, note_id desc limit ?` */
export async function listNotes(db: Kysely<Schema>, input: ListNotesInput): Promise<NoteRow[]> {
  const { after } = input
  let query = db.selectFrom('notes').selectAll()
  if (input.teamId !== null) query = query.where('team_id', '=', input.teamId)
  if (input.subject !== null) query = query.where('subject', '=', input.subject)
  if (input.subjectId !== null) query = query.where('subject_id', '=', input.subjectId)
  if (input.author !== null) query = query.where('author', '=', input.author)
  if (after !== null)
    query = query.where(eb =>
      eb.or([
        eb('created_at', '<', after.created_at),
        eb.and([eb('created_at', '=', after.created_at), eb('note_id', '<', after.note_id)]),
      ]),
    )
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('note_id', 'desc')
    .limit(input.limit)
    .execute()
  return rows.map(readRow)
}

/** `select * from notes where note_id = ?` */
export async function findNote(
  db: Kysely<Schema>,
  { noteId }: { readonly noteId: string },
): Promise<NoteRow | null> {
  const row = await db.selectFrom('notes').selectAll().where('note_id', '=', noteId).executeTakeFirst()
  return row === undefined ? null : readRow(row)
}

/** `select count(*) from notes where team_id = ?` */
export async function countNotes(
  db: Kysely<Schema>,
  { teamId }: { readonly teamId: string },
): Promise<number> {
  const { count } = await db
    .selectFrom('notes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertNote(db: Kysely<Schema>, { note }: { readonly note: NoteRow }): Promise<void> {
  await db.insertInto('notes').values(note).execute()
}

export type UpdateNoteInput = {
  readonly noteId: string
  /** The text that the change was made from. */
  readonly seen: string
  readonly text: string
  readonly now: number
  readonly audit: AuditEntry
}

/** False when the note is gone or has another text by now; nothing is written then. */
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

/** False when it is gone already; nothing is written then. */
export async function deleteNote(
  db: Kysely<Schema>,
  { noteId, audit }: { readonly noteId: string; readonly audit: AuditEntry },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('notes')
    .where('note_id', '=', noteId)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  await appendAudit(db, [audit])
  return true
}

function readRow(row: NoteRow): NoteRow {
  return { ...row, created_at: Number(row.created_at), updated_at: Number(row.updated_at) }
}
