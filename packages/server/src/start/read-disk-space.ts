// Asks the system how much room the disk of a folder has.
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DiskSpace } from './watch-disk.ts'

/** What this user may still write, and the whole. A folder that has not been made yet is where its parent is. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const found = await statfs(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && dirname(folder) !== folder) return null
    throw error
  })
  if (found === null) return readDiskSpace(dirname(folder))
  const { bavail, blocks, bsize } = found
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}
