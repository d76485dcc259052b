// The SQLite database that is copied: read without loss, in the order of the keys, and never written.
import { constants, Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type TableName, tableKeys } from './copy-tables.ts'
import { adaptRow, type ExactRow, weighRow } from './exact-rows.ts'

/** Of rows that are in memory at once. A single row may be larger: a kept answer has up to 32 MiB. */
const pageBytes = 4 * 1024 * 1024
const pageRows = 2000

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

export class SourceDatabase {
  readonly path: string
  readonly #database: Database

  constructor(path: string) {
    this.path = path
    // Without a log beside it nobody writes the file: SQLite then need not make a log of its own, as it does even to read.
    const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI
    const isAlone = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0
    this.#database = new Database(`${pathToFileURL(path).href}${isAlone ? '?immutable=1' : ''}`, flags)
  }

  /** In the order in which they ran; none for a file of another program. */
  listMigrations(): string[] {
    const table = this.#read(
      "select name from sqlite_schema where type = 'table' and name = 'kysely_migration'",
    )
    if (table.length === 0) return []
    return this.#read('select name from kysely_migration order by name').map(({ name }) => String(name))
  }

  listColumns(table: TableName): string[] {
    return this.#read(`pragma table_info(${quote(table)})`).map(({ name }) => String(name))
  }

  countRows(table: TableName): number {
    return Number(this.#read(`select count(*) as rows from ${quote(table)}`)[0]?.rows ?? 0)
  }

  /** The last number that the table has given to a row, also to one that is gone; 0 where it gives none. */
  readLastNumber(table: TableName): bigint {
    const known = this.#read("select name from sqlite_schema where name = 'sqlite_sequence'")
    if (known.length === 0) return 0n
    const last = this.#read('select seq from sqlite_sequence where name = ?', [table])[0]?.seq
    return typeof last === 'bigint' ? last : 0n
  }

  hasRow(table: TableName, key: ExactRow): boolean {
    const keys = tableKeys[table]
    const where = keys.map(name => `${quote(name)} = ?`).join(' and ')
    return (
      this.#read(
        `select 1 from ${quote(table)} where ${where}`,
        keys.map(name => key[name] ?? null),
      ).length > 0
    )
  }

  /** The rows behind the one with the key `after`, or all, in the order of the key, as the target gets them. */
  *readPages(table: TableName, after: ExactRow | null): Generator<readonly ExactRow[]> {
    const keys: readonly string[] = tableKeys[table]
    const names = keys.map(quote).join(', ')
    const beyond = after === null ? '' : `where (${names}) > (${keys.map(() => '?').join(', ')})`
    const values = after === null ? [] : keys.map(name => after[name] ?? null)
    const statement = this.#prepare(`select * from ${quote(table)} ${beyond} order by ${names}`)
    try {
      let page: ExactRow[] = []
      let bytes = 0
      for (const row of statement.iterate(...values)) {
        const weight = weighRow(row)
        if (page.length > 0 && (bytes + weight > pageBytes || page.length === pageRows)) {
          yield page
          page = []
          bytes = 0
        }
        page.push(adaptRow(table, row))
        bytes += weight
      }
      if (page.length > 0) yield page
    } finally {
      statement.finalize()
    }
  }

  close(): void {
    this.#database.close()
  }

  #prepare(text: string): Statement<ExactRow, SQLQueryBindings[]> {
    return this.#database.prepare<ExactRow, SQLQueryBindings[]>(text).safeIntegers(true)
  }

  #read(text: string, values: SQLQueryBindings[] = []): ExactRow[] {
    const statement = this.#prepare(text)
    try {
      return statement.all(...values)
    } finally {
      statement.finalize()
    }
  }
}

/**
 * Changes whenever the database is written: sizes and times of its file and of its log. A copy that goes on with a source that was written
 * meanwhile would mix two moments.
 */
export function describeState(path: string): string {
  return [path, `${path}-wal`]
    .map(file => statSync(file, { throwIfNoEntry: false }))
    .flatMap(stats =>
      stats === undefined || stats.size === 0 ? [] : [`${stats.size}@${Math.floor(stats.mtimeMs)}`],
    )
    .join(' ')
}
