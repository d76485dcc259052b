// Our own copies of finished films: whole files only, so that a crash never leaves half of one to be served.
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export type FilmStore = {
  /** Writes a film, in place of an earlier one; resolves with its size when it is on disk. */
  readonly save: (taskId: string, film: ReadableStream<Uint8Array>) => Promise<number>
  /** Where it is; null when there is none. */
  readonly find: (taskId: string) => Promise<{ readonly path: string; readonly bytes: number } | null>
  readonly remove: (taskId: string) => Promise<void>
  /** Removes what an earlier life of the process had begun to write. */
  readonly clean: () => Promise<void>
}

const unfinished = '.part'

export function createFilmStore(folder: string): FilmStore {
  // Ids are ours: letters, digits and underscores.
  const pathOf = (taskId: string) => join(folder, `${taskId}.mp4`)
  return Object.freeze({
    save: async (taskId, film) => {
      await mkdir(folder, { recursive: true })
      const path = pathOf(taskId)
      const part = `${path}${unfinished}`
      try {
        await pipeline(Readable.fromWeb(film as never), createWriteStream(part))
        const file = await open(part, 'r+')
        await file.sync()
        const { size } = await file.stat()
        await file.close()
        await rename(part, path)
        return size
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
    },
    find: async taskId => {
      const path = pathOf(taskId)
      const found = await stat(path).catch(() => null)
      return found === null ? null : { path, bytes: found.size }
    },
    remove: taskId => rm(pathOf(taskId), { force: true }),
    clean: async () => {
      const names = await readdir(folder).catch(() => [])
      for (const name of names) if (name.endsWith(unfinished)) await rm(join(folder, name), { force: true })
    },
  } satisfies FilmStore)
}
