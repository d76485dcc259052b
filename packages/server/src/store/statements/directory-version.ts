// Numbers every change of teams, keys, log tokens, boards and the catalog, in the order of their commits, so that processes can follow.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'

/** PostgreSQL's notifications: that a change was made (its number), and that a process applies one. */
export const directoryChannels = { changed: 'directory', applied: 'directory_applied' } as const

/** A process that is further behind rereads everything, so deletions older than this need not be kept. */
export const keptVersions = 10_000

type Kind = 'rows' | 'catalog'

/**
 * Runs one change under the next number and notifies the other processes. Returns the number with its result.
 *
 * The row that holds the number is locked first, so changes commit in the order of their numbers: a reader that has read up to a number has
 * missed none below it. A sequence would not do, because its numbers are given before the commit.
 */
export async function writeChange<Result>(
  db: Kysely<Schema>,
  change: (version: number) => Promise<Result>,
  kind: Kind = 'rows',
): Promise<{ readonly version: number; readonly result: Result }> {
  const version = (await holdDirectory(db)) + 1
  const result = await change(version)
  await publish(db, version, kind)
  return { version, result }
}

/** Like `writeChange`, for a change that may turn out to be impossible: it then writes nothing and returns false, and this returns null. */
export async function tryChange(
  db: Kysely<Schema>,
  change: (version: number) => Promise<boolean>,
): Promise<number | null> {
  const version = (await holdDirectory(db)) + 1
  if (!(await change(version))) return null
  await publish(db, version, 'rows')
  return version
}

async function publish(db: Kysely<Schema>, version: number, kind: Kind): Promise<void> {
  await db
    .updateTable('directory_version')
    .set(kind === 'catalog' ? { version, catalog_version: version } : { version })
    .execute()
  await notify(db, directoryChannels.changed, version)
}

/**
 * Waits for the change that is being written and keeps others out until the transaction ends. Returns the number of the last one: `insert
 * into directory_version … on conflict do update …`, so that the row is locked from the first change on.
 */
async function holdDirectory(db: Kysely<Schema>): Promise<number> {
  const { version } = await db
    .insertInto('directory_version')
    .values({ id: 1, version: 0, catalog_version: 0 })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ id: 1 }))
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}

/**
 * Resolves when no change sent earlier is running any longer: everything read after that is final. A connection that is lost while it commits
 * leaves open whether it did, and PostgreSQL may carry the commit out later. SQLite has one writer.
 */
export async function awaitDirectoryChanges(db: Kysely<Schema>, _input: null): Promise<void> {
  if (dialectOf(db) === 'postgres') await holdDirectory(db)
}

/** SQLite has one process, which needs no notification. */
export async function notify(db: Kysely<Schema>, channel: string, version: number): Promise<void> {
  if (dialectOf(db) === 'postgres') await sql`select pg_notify(${channel}, ${String(version)})`.execute(db)
}
