// Restores a backup so that a server can start from it: an unused data folder, or with DATABASE_URL an unused PostgreSQL database and any data
// folder.
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SpendProof } from '@fairgate/contracts/spend/spend-proof.ts'
import { type Kysely, sql } from 'kysely'
import { migrate, migrationNames } from '../../store/migrations/migrate.ts'
import { lockWholeDatabase } from '../../store/postgres/hold-database-lock.ts'
import { proveTotals } from '../../store/prove-totals.ts'
import type { Schema } from '../../store/schema/schema.ts'
import { lockDataFolder } from '../../store/sqlite/lock-data-folder.ts'
import { declaredDead } from '../../store/statements/processes.ts'
import { requireSameValues } from './compare-tables.ts'
import { copyFile, describeFile, syncFolder } from './copy-files.ts'
import { copyTables } from './copy-tables.ts'
import { type BackupFile, databaseName, type Manifest } from './manifest.ts'
import { type DataPlace, openPostgres, openSqliteFile } from './open-databases.ts'
import { countRows, listTables, tableNames } from './tables.ts'
import {
  findBrokenChains,
  openReads,
  type Report,
  type VerifiedBackup,
  verifyBackup,
} from './verify-backup.ts'

export type RestoreInput = {
  readonly folder: string
  readonly place: DataPlace
  /** Unix ms. */
  readonly clock: () => number
  readonly report: Report
}

export type RestoredBackup = VerifiedBackup & {
  /** Totals that did not match the sums of their rows in the original database; null for SQLite, because its file is copied unchanged. */
  readonly wrongTotals: SpendProof['wrong'] | null
}

/**
 * Checks the backup first. Throws an Error that explains the refusal: the backup is incomplete or of another version, a data folder or a
 * database is not empty, or a server runs there. Existing data is never changed.
 */
export async function restoreBackup(input: RestoreInput): Promise<RestoredBackup> {
  const { folder, place, report } = input
  const verified = await verifyBackup(folder, report)
  refuseOtherVersion(verified.manifest)
  const { dataFolder, databaseUrl } = place
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(dataFolder)
  try {
    if (databaseUrl === null) refuseUsedFolder(dataFolder)
    const files = await listFilesToWrite(dataFolder, verified.manifest)
    return await writeFiles(folder, dataFolder, files, report, () =>
      databaseUrl === null
        ? restoreSqlite(folder, dataFolder, verified, report)
        : restorePostgres(input, databaseUrl, verified),
    )
  } finally {
    lock.release()
  }
}

function refuseOtherVersion({ migrations, version }: Manifest): void {
  const unknown = migrations.find(name => !migrationNames.includes(name))
  if (unknown !== undefined)
    throw new Error(
      `The backup was written by another version, Fairgate ${version} (it has the migration ${unknown}, which this version does not know). Restore it with that version.`,
    )
}

function refuseUsedFolder(dataFolder: string): void {
  const used = [databaseName, `${databaseName}-wal`, 'videos', 'admin-key'].filter(name =>
    existsSync(join(dataFolder, name)),
  )
  if (used.length > 0)
    throw new Error(
      `The data folder ${dataFolder} is in use: it has ${used.join(', ')}. Move it away, or set FAIRGATE_DATA_DIR to a folder that does not exist yet.`,
    )
}

/** Lists files other than the database that do not exist yet. Throws an Error for one that exists with different content. */
async function listFilesToWrite(dataFolder: string, { files }: Manifest): Promise<readonly BackupFile[]> {
  const missing: BackupFile[] = []
  for (const file of files) {
    if (file.path === databaseName) continue
    if (!existsSync(join(dataFolder, file.path))) missing.push(file)
    else if ((await describeFile(dataFolder, file.path)).sha256 !== file.sha256)
      throw new Error(
        `${join(dataFolder, file.path)} differs from the file in the backup. Move it away if the backup's file is right, or set FAIRGATE_DATA_DIR to another folder.`,
      )
  }
  return missing
}

/** The database comes last, so that no server starts from an interrupted restore. A restore that fails removes its files again. */
async function writeFiles<Result>(
  folder: string,
  dataFolder: string,
  files: readonly BackupFile[],
  report: Report,
  restoreDatabase: () => Promise<Result>,
): Promise<Result> {
  const videos = join(dataFolder, 'videos')
  const hadVideos = existsSync(videos)
  try {
    for (const { path } of files) {
      report(`restoring ${path}`)
      await copyFile(folder, dataFolder, path)
    }
    if (existsSync(videos)) await syncFolder(videos)
    const result = await restoreDatabase()
    await syncFolder(dataFolder)
    return result
  } catch (error) {
    for (const { path } of files) await rm(join(dataFolder, path), { force: true })
    if (!hadVideos) await rm(videos, { recursive: true, force: true })
    throw error
  }
}

/** Copies the file with its checksum already verified: a second check would find nothing more. */
async function restoreSqlite(
  folder: string,
  dataFolder: string,
  verified: VerifiedBackup,
  report: Report,
): Promise<RestoredBackup> {
  report('restoring the database')
  const unfinished = join(dataFolder, 'restoring')
  await rm(unfinished, { recursive: true, force: true })
  try {
    await mkdir(unfinished, { mode: 0o700 })
    await copyFile(folder, unfinished, databaseName)
    await rename(join(unfinished, databaseName), join(dataFolder, databaseName))
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return { ...verified, wrongTotals: null }
}

async function restorePostgres(
  { folder, clock, report }: RestoreInput,
  url: string,
  verified: VerifiedBackup,
): Promise<RestoredBackup> {
  await refuseForeignDatabase(url)
  await using target = openPostgres(url, 'fairgate-restore')
  // Finds a server that runs there before anything is changed, and keeps it out while the rows are written.
  await target.transaction().execute(lockWholeDatabase)
  await migrate(target)
  await using source = openSqliteFile(join(folder, databaseName), 'read exactly')
  const wrongTotals = await target.transaction().execute(async transaction => {
    await lockWholeDatabase(transaction)
    await refuseUsedDatabase(transaction)
    return await fillDatabase(source, transaction, verified, clock, report)
  })
  return { ...verified, wrongTotals }
}

/** Runs in one transaction, so that a restore that fails or differs leaves the tables empty. Returns the wrong totals, which the source has too. */
async function fillDatabase(
  source: Kysely<Schema>,
  target: Kysely<Schema>,
  { brokenChains }: VerifiedBackup,
  clock: () => number,
  report: Report,
): Promise<SpendProof['wrong']> {
  // The sums of charges are copied, so the triggers must not count them again.
  await sql`set local fairgate.copying = 'on'`.execute(target)
  await copyTables(source, target, (table, rows) => report(`restoring ${table}: ${rows} rows`))
  await requireSameValues(source, target, table => report(`comparing ${table}`))
  // The backup's processes do not run here. Their leases end now, regardless of this database's clock, and the first start recovers their calls.
  await target.updateTable('processes').set({ lease_until: declaredDead }).execute()
  // The windows of SQLite. PostgreSQL counts them elsewhere, and in a backup of this database they would be out of date.
  await target.deleteFrom('window_rows').execute()
  await continueNumbers(target)
  await sql`analyze ${sql.join(tableNames.map(name => sql.table(name)))}`.execute(target)
  const known = new Set(brokenChains.map(({ teamId }) => teamId))
  const broken = (await findBrokenChains(target, report)).find(({ teamId }) => !known.has(teamId))
  if (broken !== undefined)
    throw new Error(
      `Entry ${broken.seq} of ${broken.teamId} does not fit its chain in the database, but does in the backup. Nothing was restored.`,
    )
  report('comparing totals with the rows of the ledger')
  const read = openReads(target)
  const proof = await proveTotals(
    { read, clock, stopwatch: clock, points: null, pause: async () => undefined },
    { teamId: null, isWhole: true },
  )
  return proof.wrong
}

/** Sets the sequences of PostgreSQL to continue after the highest number in use. */
async function continueNumbers(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ table: string; column: string; sequence: string }>`
    select * from (select table_name as table, column_name as column, pg_get_serial_sequence(quote_ident(table_name), column_name) as sequence
      from information_schema.columns where table_schema = current_schema()) numbers where sequence is not null`.execute(
    db,
  )
  for (const { table, column, sequence } of rows)
    await sql`select setval(${sequence}, (select coalesce(max(${sql.ref(column)}), 0) + 1 from ${sql.table(table)}), false)`.execute(
      db,
    )
}

async function refuseForeignDatabase(url: string): Promise<void> {
  await using target = openPostgres(url, 'fairgate-backup')
  const tables = await target.introspection.getTables({ withInternalKyselyTables: true })
  const [foreign] = tables
  if (foreign !== undefined && !tables.some(({ name }) => name === 'kysely_migration'))
    throw new Error(
      `The database of DATABASE_URL belongs to another program: it has a table ${foreign.name}. Restore into an empty database.`,
    )
}

async function refuseUsedDatabase(target: Kysely<Schema>): Promise<void> {
  for (const table of await listTables(target)) {
    const rows = await countRows(target, table)
    if (rows > 0)
      throw new Error(
        `The database of DATABASE_URL is in use: its table ${table} has ${rows} rows. Restore into an empty database.`,
      )
  }
}
