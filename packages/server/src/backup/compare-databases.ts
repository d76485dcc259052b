// Compares every row of a data folder's database with its copy, and digests what both have.
import { createHash } from 'node:crypto'
import { type TableName, tableKeys } from './copy-tables.ts'
import { describeKey, type ExactRow, type ExactValue, writeRow } from './exact-rows.ts'
import type { SourceDatabase } from './source-database.ts'
import type { TargetDatabase } from './target-database.ts'

export type Difference = {
  readonly table: TableName
  readonly key: string
  readonly problem: 'missing' | 'differs' | 'extra'
  /** That differ. */
  readonly columns: readonly string[]
}

export type ComparedTable = {
  readonly table: TableName
  readonly rows: number
  /** SHA-256, lower-case hex, of all rows in the order of their keys, each written as in `writeRow`; null where the two differ. */
  readonly digest: string | null
  readonly differences: readonly Difference[]
}

/** More say nothing new. */
const mostDifferences = 5

/** `report` is called after each page with the number of rows compared so far. */
export async function compareTable(
  source: SourceDatabase,
  target: TargetDatabase,
  table: TableName,
  report: (rows: number) => void,
): Promise<ComparedTable> {
  const columns = source.listColumns(table).sort()
  const keys = tableKeys[table]
  const digest = createHash('sha256')
  const differences: Difference[] = []
  let rows = 0
  for (const page of source.readPages(table, null)) {
    const found = new Map((await target.findRows(table, page)).map(row => [nameRow(row, keys), row]))
    for (const row of page) {
      digest.update(`${writeRow(row, columns)}\n`)
      const copy = found.get(nameRow(row, keys))
      if (copy !== undefined && columns.every(name => isSame(row[name], copy[name]))) continue
      differences.push(describeDifference(table, row, copy, columns))
      if (differences.length === mostDifferences) return { table, rows, digest: null, differences }
    }
    rows += page.length
    report(rows)
  }
  if ((await target.countRows(table)) > rows)
    differences.push(...(await findExtra(source, target, table, mostDifferences - differences.length)))
  return { table, rows, digest: differences.length === 0 ? digest.digest('hex') : null, differences }
}

/** Keys are integers and texts; PostgreSQL has no text with U+0000. */
function nameRow(row: ExactRow, keys: readonly string[]): string {
  return keys.map(name => String(row[name])).join('\0')
}

function isSame(left: ExactValue | undefined, right: ExactValue | undefined): boolean {
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right) === 0
  return left === right
}

function describeDifference(
  table: TableName,
  row: ExactRow,
  copy: ExactRow | undefined,
  columns: readonly string[],
): Difference {
  const key = describeKey(row, tableKeys[table])
  if (copy === undefined) return { table, key, problem: 'missing', columns: [] }
  const differing = columns.filter(name => !isSame(row[name], copy[name]))
  return { table, key, problem: 'differs', columns: differing }
}

async function findExtra(
  source: SourceDatabase,
  target: TargetDatabase,
  table: TableName,
  most: number,
): Promise<Difference[]> {
  const extra: Difference[] = []
  for await (const page of target.readKeys(table)) {
    for (const key of page) {
      if (source.hasRow(table, key)) continue
      extra.push({ table, key: describeKey(key, tableKeys[table]), problem: 'extra', columns: [] })
      if (extra.length >= most) return extra
    }
  }
  return extra
}
