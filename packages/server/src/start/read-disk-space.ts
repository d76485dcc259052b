// Asks the system how much room the disk of a folder has.
import { statfs } from 'node:fs/promises'
import type { DiskSpace } from './watch-disk.ts'

/** What this user may still write, and the whole. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}
