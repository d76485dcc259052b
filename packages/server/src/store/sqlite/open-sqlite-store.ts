// The embedded store: one SQLite file, one thread that writes, one that reads, and one for long reads once there are any.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { classifyFailure } from '../classify-failure.ts'
import { isLongRead } from '../operations.ts'
import { createStore, type Store, type StoreReports } from '../store.ts'
import { DatabaseInUse, StoreError } from '../store-error.ts'
import { lockDataFolder } from './lock-data-folder.ts'
import { type StatementWorker, startWorker } from './start-worker.ts'
import type { CheckInput } from './worker-messages.ts'

export type SqliteStoreOptions = StoreReports & {
  /** How long another process may keep the folder before this one gives up. */
  readonly patienceMs?: number
}

const tryAgainMs = 10

/**
 * Opens `<folder>/fairgate.db`, creating and migrating it as needed. Throws an Error that says what to do if the folder or the file cannot
 * be used, DatabaseInUse if another process keeps using it.
 */
export async function openSqliteStore(
  folder: string,
  { patienceMs = 0, ...reports }: SqliteStoreOptions = {},
): Promise<Store> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new Error(
      `The data folder ${folder} cannot be created: ${cause instanceof Error ? cause.message : cause}`,
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
    let longReader: Promise<StatementWorker> | null = null
    /** A start that failed, for example without a free descriptor, is tried again by the next long read. */
    const openLongReader = () => {
      const starting = longReader ?? startWorker({ path, mode: 'read' })
      longReader = starting
      starting.catch(() => {
        if (longReader === starting) longReader = null
      })
      return starting
    }
    const read = async (name: string, input: unknown) =>
      (isLongRead(name, input) ? await openLongReader() : reader).run(name, input)
    const check = async (doubt: CheckInput) => {
      const long = await longReader?.catch(() => null)
      await Promise.all([writing.check(doubt), reader.check(doubt), long?.check(doubt)])
    }
    const close = async () => {
      const long = await longReader?.catch(() => null)
      await long?.close()
      await reader.close()
      await writing.close()
      lock.release()
    }
    const handover = {
      openPort: () => {
        const { port1, port2 } = new MessageChannel()
        writing.report({ port: port1 })
        return port2
      },
      discard: (heldAs: number) => writing.report({ discard: heldAs }),
    }
    return createStore({ read, write: writing.run, handover, check, close }, reports)
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

const advice = {
  database_damaged:
    'It is damaged, or no database. Restore a backup, or keep it aside and start with an empty folder.',
  database_full: 'The disk is full. Free some space and start again.',
  database_read_only: 'It cannot be written. Check its owner, its permissions and how its disk is mounted.',
  database_unavailable:
    'Check that it and its folder belong to the user that runs Fairgate, and that it is an ordinary file.',
} as const

/** The message for the operator: what is wrong, and what to do. */
function describeOpenFailure(path: string, error: unknown): Error {
  if (!(error instanceof StoreError)) return error instanceof Error ? error : new Error(String(error))
  const found = classifyFailure(error)
  const sentence = found.scope === 'store' ? ` ${advice[found.reason]}` : ''
  const reason = error.code === null ? error.message : `${error.message} (${error.code}).`
  return new Error(`The database ${path} cannot be opened: ${reason}${sentence}`, { cause: error })
}
