// Compares every row of a data folder's database with its copy, and digests what both have.
import { createHash } from 'node:crypto'
import { type TableName, tableKeys } from './copy-tables.ts'
import { describeKey, type ExactRow, writeRow } from './exact-rows.ts'
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
    const found = new Map((await target.findRows(table, page)).map(row => [writeRow(row, keys), row]))
    for (const row of page) {
      const text = writeRow(row, columns)
      digest.update(text).update('\n')
      const copy = found.get(writeRow(row, keys))
      if (copy !== undefined && writeRow(copy, columns) === text) continue
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

function describeDifference(
  table: TableName,
  row: ExactRow,
  copy: ExactRow | undefined,
  columns: readonly string[],
): Difference {
  const key = describeKey(row, tableKeys[table])
  if (copy === undefined) return { table, key, problem: 'missing', columns: [] }
  const differing = columns.filter(name => writeRow(row, [name]) !== writeRow(copy, [name]))
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
