// Rows as both engines mean them, without loss: integers of 64 bits, texts, bytes. Written in one form, so that rows of two engines can be compared.
import type { TableName } from './copy-tables.ts'

/** Integers are always bigint. A number is one that a SQLite column holds although it should hold integers. */
export type ExactValue = null | bigint | number | string | Uint8Array
export type ExactRow = Readonly<Record<string, ExactValue>>

/** The values of the columns as one line of JSON: an integer as `{"i":"12"}`, bytes as `{"b":"base64"}`, a text as it is. */
export function writeRow(row: ExactRow, columns: readonly string[]): string {
  return JSON.stringify(columns.map(name => writeValue(row[name] ?? null)))
}

function writeValue(value: ExactValue): unknown {
  if (typeof value === 'bigint') return { i: value.toString() }
  if (value instanceof Uint8Array) return { b: Buffer.from(value).toString('base64') }
  return value
}

/** How many bytes the row takes in memory, roughly. */
export function weighRow(row: ExactRow): number {
  let bytes = 0
  for (const value of Object.values(row)) {
    bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length + 16 : 16
  }
  return bytes
}

/**
 * What the target gets for a row of the source. The lease of a process on SQLite is its lock on the data folder, and its row says nothing of when
 * that ends. A copy is made while nobody has the lock, so the lease is over: whoever starts on the copy recovers what that process left.
 */
export function adaptRow(table: TableName, row: ExactRow): ExactRow {
  return table === 'processes' ? { ...row, lease_until: 0n } : row
}

/** A row's key as a person reads it: `team_id=red seq=12`. */
export function describeKey(row: ExactRow, keys: readonly string[]): string {
  return keys.map(name => `${name}=${row[name] ?? ''}`).join(' ')
}
