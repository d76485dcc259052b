// Reads a table on either engine in pages, so that a large one is never fully in memory.
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { dialectOf } from '../../store/dialect.ts'
import type { Schema } from '../../store/schema/schema.ts'
import { type TableName, tableKeys } from './tables.ts'

export type Row = Readonly<Record<string, unknown>>

/** Approximate bytes of rows in memory: the next page is sized as if all its rows were as large as the largest of this one. */
const pageBytes = 8 * 1024 * 1024
const pageRows = 500
const firstRows = 16

/**
 * Needs a transaction on PostgreSQL. `by key` is the order of the key's bytes, which is the same on both engines; PostgreSQL sorts the
 * table for it.
 */
export async function* readPages(
  db: Kysely<Schema>,
  table: TableName,
  order: 'by key' | 'as stored',
): AsyncGenerator<readonly Row[]> {
  const isPostgres = dialectOf(db) === 'postgres'
  if (isPostgres) {
    const sorted = order === 'by key' ? sql`order by ${sql.join(await nameKeys(db, table))}` : sql``
    await sql`declare pages no scroll cursor for select * from ${sql.table(table)} ${sorted}`.execute(db)
  }
  let last: Row | null = null
  for (let limit = firstRows; ; ) {
    const { rows }: { rows: readonly Row[] } = isPostgres
      ? await sql<Row>`fetch ${sql.lit(limit)} from pages`.execute(db)
      : await readBehind(db, table, last, limit)
    if (rows.length > 0) yield rows
    if (rows.length < limit) break
    last = rows.at(-1) ?? null
    limit = Math.max(1, Math.min(pageRows, Math.floor(pageBytes / Math.max(...rows.map(weighRow)))))
  }
  if (isPostgres) await sql`close pages`.execute(db)
}

/** Lists the key columns for PostgreSQL's `order by`, because its own order of texts depends on a language. */
async function nameKeys(db: Kysely<Schema>, table: TableName): Promise<RawBuilder<unknown>[]> {
  const { rows } = await sql<{ name: string }>`select column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and data_type = 'text'`.execute(db)
  const texts = new Set(rows.map(({ name }) => name))
  return tableKeys[table].map(name => (texts.has(name) ? sql`${sql.ref(name)} collate "C"` : sql.ref(name)))
}

/** Reads the next rows in key order. */
function readBehind(
  db: Kysely<Schema>,
  table: TableName,
  last: Row | null,
  limit: number,
): Promise<{ rows: readonly Row[] }> {
  const keys: readonly string[] = tableKeys[table]
  const order = sql.join(keys.map(name => sql.ref(name)))
  const behind =
    last === null ? sql`` : sql`where (${order}) > (${sql.join(keys.map(name => sql.val(last[name])))})`
  return sql<Row>`select * from ${sql.table(table)} ${behind} order by ${order} limit ${limit}`.execute(db)
}

function weighRow(row: Row): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8),
    0,
  )
}
