// Keeps a second process off the data folder: two writers on one ledger would each admit the whole budget.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'

/**
 * Takes the folder's lock for the life of this process; the kernel frees it however the process ends.
 * Throws an Error that says what to do when another process holds it.
 */
export function lockDataFolder(folder: string): { release: () => void } {
  const lock = new Database(join(folder, 'fairgate.lock'), { create: true })
  try {
    lock.run('PRAGMA busy_timeout = 0')
    lock.run('PRAGMA locking_mode = EXCLUSIVE')
    lock.run('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    throw new Error(
      `Another Fairgate process uses the data folder ${folder}. Stop it, or give this one its own FAIRGATE_DATA_DIR.`,
      { cause },
    )
  }
  return { release: () => lock.close() }
}
