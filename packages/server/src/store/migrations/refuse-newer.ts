// Refuses a database that a newer Fairgate has migrated, in words that say so.
import { type Kysely, sql } from 'kysely'

/** `known`: the names of this version's migrations. Throws an Error. */
export async function refuseNewer<Tables>(db: Kysely<Tables>, known: readonly string[]): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  const unknown = rows.find(({ name }) => !known.includes(name))
  if (unknown === undefined) return
  throw new Error(
    `The database was written by a newer version of Fairgate (it has the migration ${unknown.name}). Run that version, or restore the backup from before the upgrade.`,
  )
}
