// Lets a later reader know that an earlier change of teams, keys or tokens has ended, though its answer was lost.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'

/** Of the advisory locks of a transaction; the number spells "dir". */
const lockNumber = 0x646972

/**
 * Held by each change to its end. A connection that is lost while it commits leaves open whether it did, and the server may
 * carry the commit out later still. SQLite has one writer and needs no lock.
 */
export async function holdDirectory(db: Kysely<Schema>): Promise<void> {
  if (dialectOf(db) === 'postgres') await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(db)
}

/** Resolves when no change runs any more that was sent before: what is read then is what stays. */
export async function awaitDirectoryChanges(db: Kysely<Schema>, _input: null): Promise<void> {
  await holdDirectory(db)
}
