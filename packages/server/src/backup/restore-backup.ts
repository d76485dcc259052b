// Puts a backup where a server can start from it: an unused data folder, and with DATABASE_URL an unused PostgreSQL database.
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { migrate, migrationNames } from '../store/migrations/migrate.ts'
import { holdDatabaseLock } from '../store/postgres/hold-database-lock.ts'
import type { Schema } from '../store/schema/schema.ts'
import { lockDataFolder } from '../store/sqlite/lock-data-folder.ts'
import { copyFile, syncFolder } from './copy-files.ts'
import { copyTables, countFreshRows, countRows, listTables } from './copy-tables.ts'
import { databaseName, type Manifest } from './manifest.ts'
import { type DataPlace, openPostgres, openSqliteFile } from './open-databases.ts'
import { type Report, type VerifiedBackup, verifyBackup } from './verify-backup.ts'

/**
 * Checks the backup first. Throws an Error that says what is in the way: a backup that is not whole or of another version, a data folder
 * or a database that is not empty, or a server that runs there.
 */
export async function restoreBackup(
  folder: string,
  place: DataPlace,
  report: Report,
): Promise<VerifiedBackup> {
  const verified = await verifyBackup(folder, report)
  const { manifest } = verified
  refuseOtherVersion(manifest)
  const { dataFolder, databaseUrl } = place
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(dataFolder)
  try {
    refuseUsedFolder(dataFolder)
    if (databaseUrl !== null) await restorePostgres(folder, databaseUrl, manifest, report)
    await restoreFiles(folder, dataFolder, manifest, databaseUrl === null, report)
  } finally {
    lock.release()
  }
  return verified
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
      `The data folder ${dataFolder} is in use: it has ${used.join(', ')}. Move it away, or set FAIRGATE_DATA_DIR to a folder that is not there yet.`,
    )
}

/** The database comes last, so that no server starts from a restore that was cut off. */
async function restoreFiles(
  folder: string,
  dataFolder: string,
  { files }: Manifest,
  withDatabase: boolean,
  report: Report,
): Promise<void> {
  const written: string[] = []
  try {
    for (const { path } of files.filter(file => file.path !== databaseName)) {
      report(`restoring ${path}`)
      written.push(path)
      await copyFile(folder, dataFolder, path)
    }
    if (existsSync(join(dataFolder, 'videos'))) await syncFolder(join(dataFolder, 'videos'))
    if (withDatabase) await restoreSqlite(folder, dataFolder, report)
    await syncFolder(dataFolder)
  } catch (error) {
    for (const path of written) await rm(join(dataFolder, path), { force: true })
    await rm(join(dataFolder, 'videos'), { recursive: true, force: true })
    throw error
  }
}

async function restoreSqlite(folder: string, dataFolder: string, report: Report): Promise<void> {
  report('restoring the database')
  const unfinished = join(dataFolder, 'restoring')
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await copyFile(folder, unfinished, databaseName)
  await rename(join(unfinished, databaseName), join(dataFolder, databaseName))
  await rm(unfinished, { recursive: true })
}

/** All rows in one transaction: a restore that was cut off leaves the tables empty. */
async function restorePostgres(
  folder: string,
  url: string,
  manifest: Manifest,
  report: Report,
): Promise<void> {
  const lock = await holdDatabaseLock(url)
  const target = openPostgres(url)
  const source = openSqliteFile(join(folder, databaseName))
  try {
    await migrate(target)
    await refuseUsedDatabase(target)
    await target.transaction().execute(async transaction => {
      const copied = await copyTables(source, transaction, (table, rows) =>
        report(`restoring ${table}: ${rows} rows`),
      )
      await sql`select setval(pg_get_serial_sequence('audit', 'id'), (select coalesce(max(id), 0) + 1 from audit), false)`.execute(
        transaction,
      )
      for (const [table, rows] of Object.entries(copied)) {
        if (rows !== manifest.tables[table])
          throw new Error(`Of ${manifest.tables[table]} rows of ${table}, ${rows} were restored.`)
      }
    })
  } finally {
    await source.destroy()
    await target.destroy()
    await lock.release()
  }
}

async function refuseUsedDatabase(target: Kysely<Schema>): Promise<void> {
  const fresh = await countFreshRows()
  for (const table of await listTables(target)) {
    const rows = await countRows(target, table)
    if (rows > (fresh.get(table) ?? 0))
      throw new Error(
        `The database of DATABASE_URL is in use: its table ${table} has ${rows} rows. Restore into an empty database.`,
      )
  }
}
