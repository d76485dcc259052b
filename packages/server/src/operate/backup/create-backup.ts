// Takes a backup while the server runs: the database as of one moment, the files next to it, a manifest, and a check of what was written.
import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { sql } from 'kysely'
import { refuseOtherVersions } from '../../store/migrations/migrate.ts'
import { copyFile, describeFile, listDataFiles, syncFolder } from './copy-files.ts'
import { copyTables } from './copy-tables.ts'
import { type BackupFile, databaseName, type Manifest, manifestName } from './manifest.ts'
import {
  changeSqliteFile,
  createSqliteFile,
  type DataPlace,
  listMigrations,
  openPostgres,
  openSqliteFile,
} from './open-databases.ts'
import { countRows, listTables, type TableName } from './tables.ts'
import { type Report, type VerifiedBackup, verifyBackup } from './verify-backup.ts'

export type CreateBackupInput = {
  readonly place: DataPlace
  /** A folder that does not exist yet. */
  readonly folder: string
  /** The version of the running Fairgate. */
  readonly version: string
  readonly now: Date
  /** Tables that are empty in the backup. */
  readonly omitted: readonly TableName[]
  readonly report: Report
}

/**
 * The folder gets its name only after all of it is on disk and has been read back. Throws an Error that says why the backup failed, and
 * leaves nothing behind then.
 */
export async function createBackup(input: CreateBackupInput): Promise<VerifiedBackup> {
  const folder = resolve(input.folder)
  const unfinished = `${folder}.unfinished`
  for (const path of [folder, unfinished]) {
    if (existsSync(path)) throw new Error(`${path} already exists. Choose a new folder, or remove this one.`)
  }
  await mkdir(dirname(folder), { recursive: true })
  await mkdir(unfinished, { mode: 0o700 })
  try {
    const verified = await fill(unfinished, input)
    await rename(unfinished, folder)
    await syncFolder(dirname(folder))
    return verified
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
}

async function fill(folder: string, input: CreateBackupInput): Promise<VerifiedBackup> {
  const { place, version, now, omitted, report } = input
  const { dataFolder, databaseUrl } = place
  const target = join(folder, databaseName)
  const facts =
    databaseUrl === null
      ? await snapshotSqlite(join(dataFolder, databaseName), target, omitted, report)
      : await snapshotPostgres(databaseUrl, target, omitted, report)
  const files: BackupFile[] = [await describeFile(folder, databaseName)]
  // Files come after the database. A video that no longer exists was removed meanwhile; a new one is merely not listed in the database.
  for (const path of await listDataFiles(dataFolder)) {
    report(`copying ${path}`)
    const file = await copyFile(dataFolder, folder, path)
    if (file !== null) files.push(file)
  }
  const manifest: Manifest = { format: 1, created_at: now.toISOString(), version, ...facts, files }
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  await writeFile(join(folder, manifestName), text, { mode: 0o600, flush: true })
  if (existsSync(join(folder, 'videos'))) await syncFolder(join(folder, 'videos'))
  await syncFolder(folder)
  return verifyBackup(folder, report)
}

type DatabaseFacts = Pick<Manifest, 'engine' | 'migrations' | 'tables'>

/** SQLite writes the copy itself, as of one moment, while the server continues to read and write. */
async function snapshotSqlite(
  path: string,
  target: string,
  omitted: readonly TableName[],
  report: Report,
): Promise<DatabaseFacts> {
  {
    await using source = openSqliteFile(path)
    await refuseOtherVersions(source)
    report('copying the database')
    await sql`vacuum into ${target}`.execute(source)
  }
  await emptyTables(target, omitted, report)
  await protect(target)
  await using copy = openSqliteFile(target)
  const tables: Record<string, number> = {}
  for (const table of await listTables(copy)) tables[table] = await countRows(copy, table)
  return { engine: 'sqlite', migrations: await listMigrations(copy), tables }
}

/** SQLite copies all tables. Their rows are removed from the copy, and from its free pages, before it gets its name. */
async function emptyTables(path: string, tables: readonly TableName[], report: Report): Promise<void> {
  if (tables.length === 0) return
  await using copy = changeSqliteFile(path)
  await sql`pragma journal_mode = delete`.execute(copy)
  let rows = 0
  for (const table of tables) {
    rows += await countRows(copy, table)
    await sql`delete from ${sql.table(table)}`.execute(copy)
  }
  if (rows === 0) return
  report('leaving out stored responses')
  await sql`vacuum`.execute(copy)
}

/** Copies row by row into a SQLite file, in one transaction that sees one moment. */
async function snapshotPostgres(
  url: string,
  target: string,
  omitted: readonly TableName[],
  report: Report,
): Promise<DatabaseFacts> {
  const source = openPostgres(url, 'fairgate-backup')
  const copy = await createSqliteFile(target)
  try {
    await refuseOtherVersions(source)
    const migrations = await listMigrations(source)
    if (migrations.length === 0) throw new Error('The database of DATABASE_URL does not belong to Fairgate.')
    const tables = await source
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(transaction =>
        copyTables(transaction, copy, (table, rows) => report(`copying ${table}: ${rows} rows`), omitted),
      )
    // So the backup is one file, without a write-ahead log next to it.
    await sql`pragma journal_mode = delete`.execute(copy)
    return { engine: 'postgres', migrations: await listMigrations(copy), tables }
  } finally {
    await copy.destroy()
    await source.destroy()
    await protect(target)
  }
}

/** Flushes the file and makes it readable only by its owner: it holds the hashes of all credentials and the teams' prompts. */
async function protect(path: string): Promise<void> {
  const file = await open(path, 'r+').catch(() => null)
  if (file === null) return
  await file.chmod(0o600)
  await file.sync()
  await file.close()
}
