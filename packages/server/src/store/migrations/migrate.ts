// Brings a database to the current schema: numbered, forward-only migrations, each run once, under Kysely's lock.
import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import * as firstRelease from './001-first-release.ts'

const migrations: Record<string, Migration> = { '001-first-release': firstRelease }

/** This version's migrations, in order. */
export const migrationNames: readonly string[] = Object.keys(migrations)

/** The first migration of every database created by a version before 0.1.0. */
const beforeRelease = '001-directory'

/** Throws if a migration fails, or if another version wrote the database. */
export async function migrate<Tables>(db: Kysely<Tables>): Promise<void> {
  await refuseOtherVersions(db)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined)
    throw new Error('Migrating the database to the current schema failed.', { cause: error })
}

/** Throws an Error for a database with migrations that this version does not know. */
export async function refuseOtherVersions<Tables>(db: Kysely<Tables>): Promise<void> {
  const tables = (await db.introspection.getTables({ withInternalKyselyTables: true })).map(
    ({ name }) => name,
  )
  if (!tables.includes('kysely_migration')) return
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  const unknown = rows.find(({ name }) => !migrationNames.includes(name))
  if (unknown === undefined) return
  throw new Error(
    unknown.name === beforeRelease
      ? 'The database was written by a version of Fairgate before 0.1.0, which this version cannot read. Start with a new data folder (with DATABASE_URL, a new database), or keep using the version that wrote it.'
      : `The database was written by a newer version of Fairgate (it has the migration ${unknown.name}). Run that version, or restore the backup from before the upgrade.`,
  )
}
