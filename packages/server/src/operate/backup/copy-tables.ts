// Copies every row of every table from one database to another, on any engine.
import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { Schema } from '../../store/schema/schema.ts'
import { type Row, readPages } from './read-pages.ts'
import { listTables, type TableName, tableKeys } from './tables.ts'

/**
 * Copies into unused tables and returns table → rows. `report` is called after each page with the number of rows copied so far. Columns
 * that the source lacks get their defaults; `omitted` tables stay empty. Throws an Error that names the first row that the target cannot store.
 */
export async function copyTables(
  source: Kysely<Schema>,
  target: Kysely<Schema>,
  report: (table: string, rows: number) => void,
  omitted: readonly TableName[] = [],
): Promise<Record<string, number>> {
  const copied: Record<string, number> = {}
  for (const table of await listTables(source)) {
    await sql`delete from ${sql.table(table)}`.execute(target)
    let rows = 0
    for await (const page of omitted.includes(table) ? [] : readPages(source, table, 'as stored')) {
      await insertPage(target, table, page)
      rows += page.length
      report(table, rows)
    }
    copied[table] = rows
  }
  return copied
}

/** Inserts a page. If that fails, inserts row by row to name the one with a value that the target cannot store. */
async function insertPage(db: Kysely<Schema>, table: TableName, rows: readonly Row[]): Promise<void> {
  await sql`savepoint page`.execute(db)
  try {
    await insertRows(db, table, rows)
  } catch (error) {
    if (!isAboutValues(error)) throw error
    await sql`rollback to savepoint page`.execute(db)
    for (const row of rows) await insertRows(db, table, [row]).catch(cause => refuseRow(table, row, cause))
    throw error
  }
  await sql`release savepoint page`.execute(db)
}

/** Classes 22 and 23 of PostgreSQL's codes: a value that a column cannot hold. */
function isAboutValues(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code))
}

function refuseRow(table: TableName, row: Row, cause: unknown): never {
  const key = tableKeys[table].map(name => `${name}=${row[name]}`).join(' ')
  const column = Object.keys(row).find(name => String(row[name]).includes('\0'))
  const reason =
    column === undefined
      ? String(cause instanceof Error ? cause.message : cause)
      : `its column ${column} has the character U+0000, which PostgreSQL cannot store`
  throw new Error(
    `The row ${key} of the table ${table} does not fit into PostgreSQL: ${reason}. Correct it in the original database and take another backup.`,
    { cause },
  )
}

/** Sends raw text: building it from Kysely's parts takes longer than inserting the rows. Both engines know `$1`. */
async function insertRows(db: Kysely<Schema>, table: TableName, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  let count = 0
  const places = rows.map(() => `(${columns.map(() => `$${++count}`).join()})`)
  const text = `insert into ${table} (${columns.map(name => `"${name}"`).join()}) values ${places.join()}`
  const values = rows.flatMap(row => columns.map(name => row[name]))
  await db.executeQuery(CompiledQuery.raw(text, values))
}
