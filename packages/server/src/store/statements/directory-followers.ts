// Which change of the directory each process has in force, so that a change can be answered when all have it, and with which catalog.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import { readDatabaseClock } from './database-clock.ts'
import { directoryChannels, notify } from './directory-version.ts'

/**
 * `update processes set directory_version = ? where process_id = ? and directory_version < ?`, and a notice to those that wait for it.
 * Nobody waits for the disk: what a crash of the database loses here is written again with the next lease.
 */
export async function noteDirectoryVersion(
  db: Kysely<Schema>,
  { processId, version }: { readonly processId: string; readonly version: number },
): Promise<void> {
  if (dialectOf(db) === 'postgres') await sql`set local synchronous_commit = off`.execute(db)
  const { numUpdatedRows } = await db
    .updateTable('processes')
    .set({ directory_version: version })
    .where('process_id', '=', processId)
    .where('directory_version', '<', version)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) await notify(db, directoryChannels.applied, version)
}

export type AppliedVersion = {
  readonly processId: string
  /** The change that it has in force, and all before it. */
  readonly version: number
}

/** `select process_id, directory_version from processes where lease_until > … and process_id != ?`: of the living ones. */
export async function readAppliedVersions(
  db: Kysely<Schema>,
  { besides }: { readonly besides: string },
): Promise<AppliedVersion[]> {
  return await selectLiving(db, await readDatabaseClock(db))
    .select(['process_id as processId', 'directory_version as version'])
    .where('process_id', '!=', besides)
    .orderBy('process_id')
    .execute()
}

export type CatalogOfProcess = {
  readonly processId: string
  readonly address: string | null
  readonly catalogHash: string
}

/** Of the living processes that have told the SHA-256 of their file of models. */
export async function readCatalogHashes(db: Kysely<Schema>, _input: null): Promise<CatalogOfProcess[]> {
  return await selectLiving(db, await readDatabaseClock(db))
    .select(['process_id as processId', 'address', 'catalog_hash as catalogHash'])
    .where('catalog_hash', 'is not', null)
    .orderBy('process_id')
    .$narrowType<{ catalogHash: string }>()
    .execute()
}

/** `nowMicros`: by the clock of the database, which all leases are measured by. */
function selectLiving(db: Kysely<Schema>, nowMicros: number) {
  return db.selectFrom('processes').where('lease_until', '>', Math.floor(nowMicros / 1000))
}
