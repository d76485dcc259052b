// Compares all values of two databases, each on either engine.
import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Schema } from '../../store/schema/schema.ts'
import { readPages } from './read-pages.ts'
import { type TableName, tableNames } from './tables.ts'

/** Throws an Error that names the first table with different values. */
export async function requireSameValues(
  backup: Kysely<Schema>,
  restored: Kysely<Schema>,
  report: (table: string) => void,
): Promise<void> {
  for (const table of tableNames) {
    report(table)
    if ((await digestTable(backup, table)) !== (await digestTable(restored, table)))
      throw new Error(
        `The table ${table} in the database differs from the backup, so nothing was restored. Check the database for triggers that change rows, and restore again.`,
      )
  }
}

/** Computes the SHA-256 of all values in key order, each row as one line of JSON: an integer as `{"i":"12"}`, bytes as `{"b":"base64"}`. */
async function digestTable(db: Kysely<Schema>, table: TableName): Promise<string> {
  const digest = createHash('sha256')
  for await (const page of readPages(db, table, 'by key')) {
    const columns = Object.keys(page[0] ?? {}).sort()
    for (const row of page) digest.update(`${JSON.stringify(columns.map(name => writeValue(row[name])))}\n`)
  }
  return digest.digest('hex')
}

function writeValue(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return { i: String(value) }
  return value instanceof Uint8Array ? { b: Buffer.from(value).toString('base64') } : value
}
