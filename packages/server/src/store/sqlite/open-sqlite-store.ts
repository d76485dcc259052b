// The embedded store: one SQLite file, one thread that writes, one that reads.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createStore, type Store } from '../store.ts'
import { lockDataFolder } from './lock-data-folder.ts'
import { type StatementWorker, startWorker } from './start-worker.ts'

/** Opens `<folder>/fairgate.db`, creating and migrating it as needed. Throws when another process uses the folder. */
export async function openSqliteStore(folder: string): Promise<Store> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(folder)
  let writer: StatementWorker | null = null
  try {
    const path = join(folder, 'fairgate.db')
    const writing = await startWorker({ path, mode: 'write' })
    writer = writing
    const reader = await startWorker({ path, mode: 'read' })
    const close = async () => {
      await reader.close()
      await writing.close()
      lock.release()
    }
    return createStore({ read: reader.run, write: writing.run, close })
  } catch (error) {
    await writer?.close()
    lock.release()
    throw error
  }
}
