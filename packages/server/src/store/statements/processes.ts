// Processes that use the database: a row for each, with its slot and its lease, by the database's clock, and the versions of directory and catalog
// that apply in it.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import { readDatabaseClock } from './database-clock.ts'
import { directoryChannels, notify } from './directory-version.ts'

/** The process that opens and ends calls. */
export type ProcessRef = {
  readonly processId: string
  /** Which rows of `totals` it writes. */
  readonly slot: number
}

/** Few, so that the totals of an owner are a sum of few rows. */
const slots = 64

/** In `lease_until`: another process is ending this one's calls, so it can no longer renew its lease. */
export const declaredDead = 0

/** Unix ms by the database. */
async function readDatabaseMs(db: Kysely<Schema>): Promise<number> {
  return Math.floor((await readDatabaseClock(db)) / 1000)
}

export type RegisterInput = {
  readonly processId: string
  /** The Fairgate version. */
  readonly version: string
  readonly leaseMs: number
}

/** The facts in a process's row for the others. */
export type ProcessState = {
  /** The change of the directory that applies here. */
  readonly directoryVersion: number
  /** SHA-256 of the catalog, lower-case hex. */
  readonly catalogHash: string | null
}

export type Renewal = ProcessState & Pick<RegisterInput, 'processId' | 'leaseMs'>

/**
 * Takes the smallest slot that no row has: the slot of a dead process is free once everything that it has left is ended. Null if all slots
 * are taken.
 */
export async function registerProcess(db: Kysely<Schema>, input: RegisterInput): Promise<ProcessRef | null> {
  const { processId, version, leaseMs } = input
  const taken = new Set((await db.selectFrom('processes').select('slot').execute()).map(({ slot }) => slot))
  const now = await readDatabaseMs(db)
  for (let slot = 0; slot < slots; slot += 1) {
    if (taken.has(slot)) continue
    const inserted = await db
      .insertInto('processes')
      .values({
        process_id: processId,
        slot,
        lease_until: now + leaseMs,
        started_at: now,
        version,
        address: null,
        catalog_hash: null,
      })
      .onConflict(conflict => conflict.column('slot').doNothing())
      .returning('slot')
      .execute()
    // Another process may have taken it in between.
    if (inserted.length > 0) return { processId, slot }
  }
  return null
}

/** At the end of a process: its remaining work is ended by others at once, or by the next one that starts. */
export async function endProcess(
  db: Kysely<Schema>,
  { processId }: Pick<ProcessRef, 'processId'>,
): Promise<void> {
  if (await removeProcess(db, processId)) return
  await db
    .updateTable('processes')
    .set({ lease_until: declaredDead })
    .where('process_id', '=', processId)
    .execute()
}

/** `delete from processes …` if it has left nothing; false while calls of it still have to be ended. */
export async function removeProcess(db: Kysely<Schema>, processId: string): Promise<boolean> {
  const left = await db
    .selectFrom('running_calls')
    .select('call_id')
    .where('process_id', '=', processId)
    .limit(1)
    .execute()
  if (left.length > 0) return false
  await db.deleteFrom('processes').where('process_id', '=', processId).execute()
  return true
}

export type FindDeadInput = Pick<ProcessRef, 'processId'> & {
  /** Searches all running calls for those of a process without a row. */
  readonly withUnknown: boolean
}

/** Processes with an expired lease, other than this one, and ids on running calls that belong to no process. */
export async function findDeadProcesses(
  db: Kysely<Schema>,
  { processId, withUnknown }: FindDeadInput,
): Promise<string[]> {
  const expired = await db
    .selectFrom('processes')
    .select('process_id')
    .where('process_id', '!=', processId)
    .where('lease_until', '<=', await readDatabaseMs(db))
    .execute()
  const unknown = withUnknown
    ? await db
        .selectFrom('running_calls')
        .select('process_id')
        .distinct()
        .where('process_id', '!=', processId)
        .where('process_id', 'not in', db.selectFrom('processes').select('process_id'))
        .execute()
    : []
  return [...expired, ...unknown].map(({ process_id }) => process_id)
}

/** How a sweep may treat a process: end its calls, or leave it because it lives or another process is ending them. */
export async function declareDead(db: Kysely<Schema>, processId: string): Promise<boolean> {
  let query = db.selectFrom('processes').select('lease_until').where('process_id', '=', processId)
  if (dialectOf(db) === 'postgres') query = query.forUpdate().skipLocked()
  const row = await query.executeTakeFirst()
  if (row === undefined) {
    const { rows } = await sql`select 1 from processes where process_id = ${processId}`.execute(db)
    return rows.length === 0
  }
  if (row.lease_until > (await readDatabaseMs(db))) return false
  if (row.lease_until !== declaredDead)
    await db
      .updateTable('processes')
      .set({ lease_until: declaredDead })
      .where('process_id', '=', processId)
      .execute()
  return true
}

/**
 * `update processes set directory_version = ? where process_id = ? and directory_version < ?`, and a notification to those that wait for
 * it. It does not wait for the disk: if a crash of the database loses it, it is written again with the next lease.
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
  /** The change that applies in it, with all before it. */
  readonly version: number
}

/** `select process_id, directory_version from processes where lease_until > … and process_id != ?`: the living ones. */
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

/** The living processes that have reported the SHA-256 of their catalog file. */
export async function readCatalogHashes(db: Kysely<Schema>, _input: null): Promise<CatalogOfProcess[]> {
  return await selectLiving(db, await readDatabaseClock(db))
    .select(['process_id as processId', 'address', 'catalog_hash as catalogHash'])
    .where('catalog_hash', 'is not', null)
    .orderBy('process_id')
    .$narrowType<{ catalogHash: string }>()
    .execute()
}

/** `nowMicros`: by the database's clock, which all leases are measured by. */
function selectLiving(db: Kysely<Schema>, nowMicros: number) {
  return db.selectFrom('processes').where('lease_until', '>', Math.floor(nowMicros / 1000))
}
