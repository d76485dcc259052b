// Stores what is known about the files that teams upload, and about the images that they fetch by address. Their bytes are kept where
// videos are.
import { type Kysely, type Selection, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { FilesTable, Schema } from '../schema/schema.ts'

/**
 * OpenAI's names for what a file is for; both are input of models. `image_by_address`: an image that a model made. It is not one of the
 * team's files: it never becomes ready, so nothing lists it, and it has bounds of its own.
 */
export type FilePurpose = 'user_data' | 'vision' | 'image_by_address'

export type StoredFile = {
  readonly teamId: string
  readonly fileId: string
  /** The key that uploaded it. */
  readonly keyHash: string
  readonly purpose: FilePurpose
  readonly filename: string
  readonly mimeType: string
  readonly bytes: number
  /** Sizes of the pieces that it is kept in. */
  readonly parts: readonly number[]
  /** Lower-case hex; null while it is uploaded. */
  readonly sha256: string | null
  readonly isReady: boolean
  /** Unix ms. */
  readonly createdAt: number
  readonly expiresAt: number
}

export type FileRef = Pick<StoredFile, 'teamId' | 'fileId'>

/** Max files and bytes of a team, uploads in progress included. */
export type FileBounds = { readonly files: number; readonly bytes: number }

export type StartFileInput = { readonly file: StoredFile; readonly bounds: FileBounds }

/** Counts a file against the bounds of its team before any byte of it is kept. Returns the bound in its way, or null. */
export async function startFile(
  db: Kysely<Schema>,
  { file, bounds }: StartFileInput,
): Promise<'files' | 'bytes' | null> {
  const { teamId, purpose } = file
  // Uploads of a team are counted one after another. SQLite has one writer.
  if (dialectOf(db) === 'postgres')
    await sql`select pg_advisory_xact_lock(hashtextextended(${`files of ${teamId}`}, 0))`.execute(db)
  const kept = await countFiles(db, { teamId, areImages: purpose === 'image_by_address' })
  if (kept.files + 1 > bounds.files) return 'files'
  if (kept.bytes + file.bytes > bounds.bytes) return 'bytes'
  await db.insertInto('files').values(toRow(file)).execute()
  return null
}

/** Counts everything that is not removed yet, uploads in progress included: either the team's images by address, or its files. */
export async function countFiles(
  db: Kysely<Schema>,
  { teamId, areImages }: { readonly teamId: string; readonly areImages: boolean },
): Promise<FileBounds> {
  const kept = await db
    .selectFrom('files')
    .select(({ fn }) => [fn.countAll<number>().as('files'), fn.sum<number | null>('bytes').as('bytes')])
    .where('team_id', '=', teamId)
    .where('purpose', areImages ? '=' : '<>', 'image_by_address')
    .executeTakeFirstOrThrow()
  return { files: Number(kept.files), bytes: Number(kept.bytes ?? 0) }
}

export type AddPartInput = {
  readonly ref: FileRef
  /** The parts that the caller has seen: a piece is added once, even if it was sent twice at once. */
  readonly seen: readonly number[]
  readonly size: number
}

/** Notes that one more piece is kept. False if another one came first, or the upload is over. */
export async function addFilePart(db: Kysely<Schema>, { ref, seen, size }: AddPartInput): Promise<boolean> {
  const changed = await changeFile(db, ref)
    .set({ parts: JSON.stringify([...seen, size]) })
    .where('ready', '=', 0)
    .where('expires_at', '>', 0)
    .where('parts', '=', JSON.stringify(seen))
    .executeTakeFirst()
  return changed.numUpdatedRows === 1n
}

export type FinishFileInput = Pick<StoredFile, 'purpose' | 'bytes'> & {
  readonly ref: FileRef
  readonly mimeType: string
  readonly sha256: string
  /** Unix ms. */
  readonly expiresAt: number
}

/** The file is whole: its parts are kept. Null if the upload is over. */
export async function finishFile(db: Kysely<Schema>, input: FinishFileInput): Promise<StoredFile | null> {
  const row = await changeFile(db, input.ref)
    .set({
      ready: 1,
      purpose: input.purpose,
      bytes: input.bytes,
      mime_type: input.mimeType,
      sha256: input.sha256,
      expires_at: input.expiresAt,
    })
    .where('ready', '=', 0)
    .where('expires_at', '>', 0)
    .returning(fileColumns)
    .executeTakeFirst()
  return row === undefined ? null : toFile(row)
}

/** From now on the file is gone for its team. Its bytes and its row remain to be removed. Null if the team has no such file. */
export async function hideFile(db: Kysely<Schema>, ref: FileRef): Promise<StoredFile | null> {
  const row = await changeFile(db, ref)
    .set({ ready: 0, expires_at: 0 })
    .where('expires_at', '>', 0)
    .returning(fileColumns)
    .executeTakeFirst()
  return row === undefined ? null : toFile(row)
}

/** The bytes have been removed. */
export async function deleteFile(db: Kysely<Schema>, ref: FileRef): Promise<void> {
  await db.deleteFrom('files').where('team_id', '=', ref.teamId).where('file_id', '=', ref.fileId).execute()
}

/** Null if the team has no such file, or it has expired. */
export async function readFile(
  db: Kysely<Schema>,
  { teamId, fileId, now }: FileRef & { readonly now: number },
): Promise<StoredFile | null> {
  const row = await db
    .selectFrom('files')
    .select(fileColumns)
    .where('team_id', '=', teamId)
    .where('file_id', '=', fileId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row === undefined ? null : toFile(row)
}

export type ListFilesInput = {
  readonly teamId: string
  readonly now: number
  readonly limit: number
  readonly order: 'asc' | 'desc'
  /** Null for all. */
  readonly purpose: FilePurpose | null
  /** Only files that come after this one in that order; null for the start. */
  readonly after: Pick<StoredFile, 'createdAt' | 'fileId'> | null
}

/** Whole files, by time and id. */
export async function listFiles(
  db: Kysely<Schema>,
  { teamId, now, limit, order, purpose, after }: ListFilesInput,
): Promise<StoredFile[]> {
  let query = db
    .selectFrom('files')
    .select(fileColumns)
    .where('team_id', '=', teamId)
    .where('ready', '=', 1)
    .where('expires_at', '>', now)
  if (purpose !== null) query = query.where('purpose', '=', purpose)
  if (after !== null) {
    query = query.where(
      sql<boolean>`(created_at, file_id) ${order === 'asc' ? sql`>` : sql`<`} (${after.createdAt}, ${after.fileId})`,
    )
  }
  const rows = await query.orderBy('created_at', order).orderBy('file_id', order).limit(limit).execute()
  return rows.map(toFile)
}

/** Files that are expired, deleted, or whose upload was given up; the oldest first. */
export async function listExpiredFiles(
  db: Kysely<Schema>,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<StoredFile[]> {
  const rows = await db
    .selectFrom('files')
    .select(fileColumns)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute()
  return rows.map(toFile)
}

function changeFile(db: Kysely<Schema>, { teamId, fileId }: FileRef) {
  return db.updateTable('files').where('team_id', '=', teamId).where('file_id', '=', fileId)
}

const fileColumns = [
  'team_id as teamId',
  'file_id as fileId',
  'key_hash as keyHash',
  'purpose',
  'filename',
  'mime_type as mimeType',
  'bytes',
  'parts',
  'sha256',
  'ready',
  'created_at as createdAt',
  'expires_at as expiresAt',
] as const

function toFile(row: Selection<Schema, 'files', (typeof fileColumns)[number]>): StoredFile {
  const { purpose, parts, ready, ...plain } = row
  return {
    ...plain,
    purpose: purpose as FilePurpose,
    parts: JSON.parse(parts) as number[],
    isReady: ready === 1,
  }
}

function toRow(file: StoredFile): FilesTable {
  return {
    team_id: file.teamId,
    file_id: file.fileId,
    key_hash: file.keyHash,
    purpose: file.purpose,
    filename: file.filename,
    mime_type: file.mimeType,
    bytes: file.bytes,
    parts: JSON.stringify(file.parts),
    sha256: file.sha256,
    ready: file.isReady ? 1 : 0,
    created_at: file.createdAt,
    expires_at: file.expiresAt,
  }
}
