// The embedded store: one SQLite file, one thread that writes, one that reads.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createStore, type Store } from '../store.ts'
import { lockDataFolder } from './lock-data-folder.ts'
import { startWorker } from './start-worker.ts'

/** Opens `<folder>/fairgate.db`, creating and migrating it as needed. Throws when another process uses the folder. */
export async function openSqliteStore(folder: string): Promise<Store> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(folder)
  try {
    const path = join(folder, 'fairgate.db')
    const writer = await startWorker({ path, mode: 'write' })
    const reader = await startWorker({ path, mode: 'read' })
    const close = async () => {
      await reader.close()
      await writer.close()
      lock.release()
    }
    return createStore({ read: reader.run, write: writer.run, close })
  } catch (error) {
    lock.release()
    throw error
  }
}
