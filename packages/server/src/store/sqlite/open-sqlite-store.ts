// The embedded store: one SQLite file, one thread that writes, one that reads.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseInUse } from '../database-in-use.ts'
import { createStore, type Store, type StoreReports } from '../store.ts'
import { describeOpenFailure } from './describe-open-failure.ts'
import { lockDataFolder } from './lock-data-folder.ts'
import { type StatementWorker, startWorker } from './start-worker.ts'
import type { CheckInput } from './worker-messages.ts'

export type SqliteStoreOptions = StoreReports & {
  /** How long another process may keep the folder before this one gives up. */
  readonly patienceMs?: number
}

const tryAgainMs = 10

/**
 * Opens `<folder>/fairgate.db`, creating and migrating it as needed. Throws an Error that says what to do when the folder or
 * the file cannot be used, DatabaseInUse when another process keeps using it.
 */
export async function openSqliteStore(
  folder: string,
  { patienceMs = 0, ...reports }: SqliteStoreOptions = {},
): Promise<Store> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new Error(
      `The data folder ${folder} cannot be made: ${cause instanceof Error ? cause.message : cause}`,
      {
        cause,
      },
    )
  }
  const lock = await waitForLock(folder, patienceMs)
  const path = join(folder, 'fairgate.db')
  let writer: StatementWorker | null = null
  try {
    const writing = await startWorker({ path, mode: 'write' })
    writer = writing
    const reader = await startWorker({ path, mode: 'read' })
    const check = async (doubt: CheckInput) => {
      await Promise.all([writing.check(doubt), reader.check(doubt)])
    }
    const close = async () => {
      await reader.close()
      await writing.close()
      lock.release()
    }
    return createStore({ read: reader.run, write: writing.run, check, close }, reports)
  } catch (error) {
    await writer?.close()
    lock.release()
    throw describeOpenFailure(path, error)
  }
}

async function waitForLock(folder: string, patienceMs: number): Promise<ReturnType<typeof lockDataFolder>> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    try {
      return lockDataFolder(folder)
    } catch (error) {
      if (!(error instanceof DatabaseInUse) || performance.now() >= giveUpAt) throw error
    }
    await wait(tryAgainMs)
  }
}
