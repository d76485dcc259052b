// Copies of videos in a folder: of this machine, or one that all machines see.
import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { SpoolFolder } from './spool-folder.ts'
import { nameOf, type VideoFiles } from './video-files.ts'

/** `readPart`: a part of a file as a body. A copy is written beside its final place, synced and renamed. */
export function createFolderFiles(
  spool: SpoolFolder,
  readPart: (path: string, start: number, end: number) => Blob,
): VideoFiles {
  const pathOf = (taskId: string) => join(spool.folder, nameOf(taskId))
  return Object.freeze({
    save: copy => spool.write(copy, path => rename(path, pathOf(copy.taskId))),
    read: async ({ taskId, bytes, range }) => {
      const path = pathOf(taskId)
      const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      if (found?.size !== bytes) return null
      return readPart(path, range?.start ?? 0, range === null ? bytes : range.end + 1)
    },
    remove: taskId => rm(pathOf(taskId), { force: true }),
    clean: () => spool.clean(),
  } satisfies VideoFiles)
}
