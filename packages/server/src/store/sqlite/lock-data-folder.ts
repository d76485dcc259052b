// Keeps a second process out of the data folder: two writers on one ledger would each admit the whole budget.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { DatabaseInUse } from '../store-error.ts'

/**
 * Takes the folder's lock for the life of this process; the kernel frees it however the process ends. Throws an Error that says what to do
 * if the folder cannot be written, DatabaseInUse if another process holds it.
 */
export function lockDataFolder(folder: string): { release: () => void } {
  let lock: Database | null = null
  try {
    lock = new Database(join(folder, 'fairgate.lock'), { create: true })
    lock.run('PRAGMA busy_timeout = 0')
    lock.run('PRAGMA locking_mode = EXCLUSIVE')
    lock.run('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock?.close()
    throw describe(folder, cause)
  }
  const held = lock
  return { release: () => held.close() }
}

function describe(folder: string, cause: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return new DatabaseInUse(
      `Another Fairgate process uses the data folder ${folder}. Stop it, or set a different FAIRGATE_DATA_DIR for this one.`,
      { cause },
    )
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new Error(
    `The data folder ${folder} cannot be used: ${reason} (${code}). Make it writable for Fairgate, or set FAIRGATE_DATA_DIR to another folder.`,
    { cause },
  )
}
