// Checks a database file: whether it is ours, whether it is whole after others touched it, whether it can be written again.
import { Database } from 'bun:sqlite'
import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ownCodes, StoreError } from '../store-error.ts'

/** Checked whole up to here: 0.4 s. */
const smallBytes = 256 * 1024 * 1024

/**
 * With a connection of its own, whose memory is empty. Throws StoreError `fileDamaged`. A large file is checked whole only when
 * it was cut; else the first and the last page of each table are read.
 */
export function probeDatabase(path: string, isCut: boolean): void {
  let fresh: Database | null = null
  try {
    const { size } = statSync(path)
    // SQLite would take the log for a left-over and delete it.
    if (size === 0) throw new Error('it is empty')
    fresh = new Database(path, { readonly: true })
    const findings =
      isCut || size <= smallBytes
        ? fresh.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all()
        : readEdges(fresh)
    const finding = findings.find(({ quick_check }) => quick_check !== 'ok')
    if (finding !== undefined) throw new Error(finding.quick_check)
  } catch (cause) {
    throw new StoreError(
      `The database file ${path} was changed by another program and is damaged: ${cause instanceof Error ? cause.message : cause}. Stop Fairgate and restore a backup.`,
      ownCodes.fileDamaged,
      { cause },
    )
  } finally {
    fresh?.close()
  }
}

function readEdges(fresh: Database): never[] {
  const tables = fresh
    .query<{ name: string }, []>("select name from sqlite_schema where type = 'table'")
    .all()
  for (const { name } of tables) {
    const table = `"${name.replaceAll('"', '""')}"`
    fresh.query(`select * from ${table} limit 1`).all()
    fresh.query(`select * from ${table} order by 1 desc limit 1`).all()
  }
  return []
}

const enoughBytes = 1024 * 1024

/** Throws while less than 1 MiB is free: a page that just fits would say that all is well, and the next charge would fail. */
export function requireFreeSpace(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < enoughBytes) throw new StoreError('The disk is full.', 'SQLITE_FULL')
}

/**
 * Keeps Fairgate off a SQLite file that another program has made: migrating it would put our tables beside theirs. A file that is
 * not there yet, or is empty, is fine. Throws StoreError with what is wrong.
 */
export function refuseForeignFile(path: string): void {
  if (!existsSync(path)) return
  const stats = statSync(path)
  if (!stats.isFile()) throw new StoreError('There is a folder, or something else that is no file.', null)
  if (stats.size === 0) return
  const database = new Database(path, { readwrite: true })
  try {
    const tables = database.query<{ name: string }, []>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    )
    const names = tables.all().map(({ name }) => name)
    if (names.length > 0 && !names.includes('kysely_migration'))
      throw new StoreError(`It belongs to another program: it has a table "${names[0]}".`, null)
  } finally {
    database.close()
  }
}
