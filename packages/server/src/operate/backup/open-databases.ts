// Finds a server's data and opens its database, next to the running server and without its threads.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool, type types } from 'pg'
import { readEnvironment } from '../../config/environment.ts'
import { readDatabaseUrl } from '../../config/secrets.ts'
import { migrate } from '../../store/migrations/migrate.ts'
import { getTypeParser } from '../../store/postgres/type-parser.ts'
import type { Schema } from '../../store/schema/schema.ts'
import { openBunSqlite } from '../../store/sqlite/bun-sqlite-dialect.ts'

/** Where a server's data is. */
export type DataPlace = {
  readonly dataFolder: string
  /** PostgreSQL; null for the SQLite file in the data folder. */
  readonly databaseUrl: string | null
}

/** Found by the same settings as the server uses. Throws an Error that names the setting at fault. */
export function findDataPlace(variables: Readonly<Record<string, string | undefined>>): DataPlace {
  const environment = readEnvironment(variables)
  return {
    dataFolder: resolve(environment.FAIRGATE_DATA_DIR ?? 'data'),
    databaseUrl: readDatabaseUrl(environment),
  }
}

/** Read only; `read exactly`: with integers as bigint. Throws an Error if the file does not exist. */
export function openSqliteFile(path: string, mode: 'read' | 'read exactly' = 'read'): Kysely<Schema> {
  if (!existsSync(path)) throw new Error(`There is no database ${path}.`)
  return new Kysely<Schema>({ dialect: openBunSqlite(path, mode).dialect })
}

/** An existing file, to be changed. */
export function changeSqliteFile(path: string): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: openBunSqlite(path, 'write').dialect })
}

/** A new file with the current schema. */
export async function createSqliteFile(path: string): Promise<Kysely<Schema>> {
  const db = changeSqliteFile(path)
  await migrate(db)
  return db
}

const int8 = 20

/** Statements rely on numbers, and Fairgate writes only safe integers. Others arrive as bigint, so that a copy loses nothing. */
const readExactly: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8
    ? (text: string) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text))
    : getTypeParser(oid, format as 'text')

/** One connection of that name. A statement may take as long as it needs. */
export function openPostgres(connectionString: string, name: string): Kysely<Schema> {
  const pool = new Pool({
    connectionString,
    max: 1,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    types: { getTypeParser: readExactly },
  })
  pool.on('error', () => undefined)
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}

/** In the order in which they ran. Empty for a database that Fairgate has not used. */
export async function listMigrations(db: Kysely<Schema>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}
