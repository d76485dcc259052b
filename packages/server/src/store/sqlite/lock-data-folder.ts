// Keeps a second process off the data folder: two writers on one ledger would each admit the whole budget.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'

/**
 * Takes the folder's lock for the life of this process; the kernel frees it however the process ends.
 * Throws an Error that says what to do when another process holds it, or when the folder cannot be written.
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
    throw new Error(describe(folder, cause), { cause })
  }
  const held = lock
  return { release: () => held.close() }
}

function describe(folder: string, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return `Another Fairgate process uses the data folder ${folder}. Stop it, or give this one its own FAIRGATE_DATA_DIR.`
  const reason = cause instanceof Error ? cause.message : String(cause)
  return `The data folder ${folder} cannot be used: ${reason} (${code}). Fairgate must be able to write in it; FAIRGATE_DATA_DIR names another.`
}
