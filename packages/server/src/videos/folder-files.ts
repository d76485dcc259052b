// Our own copies of finished videos, and the files that teams upload: only whole files, so that a crash never leaves half of one to be served. The port, and its
// implementation in a folder.
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { World } from '../world/world.ts'

export type VideoFiles = {
  /**
   * Stores a video, replacing an earlier copy; resolves with its size once it is safe. `expectedBytes` is the announced size, null if
   * unknown. Rejects with CopyRefused beyond the limits, and then leaves nothing behind.
   */
  readonly save: (video: NewCopy) => Promise<number>
  /** Null if there is no copy of this size. Rejects if the location of the copies cannot be reached. */
  readonly read: (wanted: WantedCopy) => Promise<Blob | ReadableStream<Uint8Array> | null>
  readonly remove: (taskId: string) => Promise<void>
  /** Removes unfinished files of processes that are gone. */
  readonly clean: () => Promise<void>
}

export type NewCopy = {
  /** Our own id: letters, digits and underscores. */
  readonly taskId: string
  readonly video: ReadableStream<Uint8Array>
  readonly expectedBytes: number | null
  readonly signal: AbortSignal
}

export type WantedCopy = {
  readonly taskId: string
  /** The size of the whole copy. */
  readonly bytes: number
  /** First and last byte; null for all. */
  readonly range: { readonly start: number; readonly end: number } | null
  readonly signal: AbortSignal
}

/** The video exceeds our limits; the upstream still has it. */
export class CopyRefused extends Error {
  readonly reason: 'too_large' | 'no_room'

  constructor(reason: CopyRefused['reason']) {
    super(
      reason === 'too_large'
        ? 'The video is larger than videos.max_file_mebibytes: it is served from the upstream.'
        : 'The disk has no room for a copy of the video: it is served from the upstream.',
    )
    this.name = 'CopyRefused'
    this.reason = reason
  }
}

// A folder in which videos are written before they are copies: within limits, on disk, and never filling the disk.

export type SpoolBounds = Pick<World, 'clock'> & {
  /** Of the names of its files: `mp4` for videos, `bin` for uploaded files. */
  readonly extension: 'mp4' | 'bin'
  /** The largest video that is copied. */
  readonly maxBytes: number
  /** Bytes that must stay free on the disk besides the video. */
  readonly keepFreeBytes: number
  /** Free bytes on the disk of a folder. */
  readonly readFreeBytes: (folder: string) => Promise<number>
  /** Part of the name of the file this process writes: other processes may write to the folder too. */
  readonly newName: () => string
}

export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

const unfinished = '.part'
/** Free space is checked again after this many bytes, because other programs write to the disk as well. */
const lookEveryBytes = 16 * 1024 * 1024
/** A copy takes at most ten minutes, and the clock of a file server may differ. */
const abandonedMs = 3_600_000

export class SpoolFolder {
  readonly folder: string
  readonly #bounds: SpoolBounds

  constructor(folder: string, bounds: SpoolBounds) {
    this.folder = folder
    this.#bounds = bounds
  }

  /** Name of the file or object with this copy. */
  nameOf(taskId: string): string {
    return `${taskId}.${this.#bounds.extension}`
  }

  /** For an object store. */
  get contentType(): string {
    return this.#bounds.extension === 'mp4' ? 'video/mp4' : 'application/octet-stream'
  }

  /**
   * Writes a video to disk and passes it to `keep`; resolves with its size when that is done. Removes the file unless `keep` has moved it.
   * Rejects with CopyRefused beyond the limits.
   */
  async write(
    { taskId, video, expectedBytes }: Pick<NewCopy, 'taskId' | 'video' | 'expectedBytes'>,
    keep: (path: string, bytes: number) => Promise<void>,
  ): Promise<number> {
    await mkdir(this.folder, { recursive: true })
    const path = join(this.folder, `${this.nameOf(taskId)}.${this.#bounds.newName()}${unfinished}`)
    try {
      await this.#requireRoom(expectedBytes ?? 0)
      const bytes = await this.#writeDown(path, video)
      await keep(path, bytes)
      return bytes
    } catch (error) {
      await video.cancel().catch(() => undefined)
      throw error
    } finally {
      await rm(path, { force: true })
    }
  }

  /** Keeps what another process may still be writing. */
  async clean(): Promise<void> {
    const names = await readdir(this.folder).catch(() => [])
    for (const name of names.filter(each => each.endsWith(unfinished))) {
      const path = join(this.folder, name)
      const found = await stat(path).catch(() => null)
      if (found !== null && found.mtimeMs < this.#bounds.clock() - abandonedMs)
        await rm(path, { force: true })
    }
  }

  async #requireRoom(bytes: number): Promise<void> {
    const { maxBytes, keepFreeBytes, readFreeBytes: readFree } = this.#bounds
    if (bytes > maxBytes) throw new CopyRefused('too_large')
    if ((await readFree(this.folder)) - bytes < keepFreeBytes) throw new CopyRefused('no_room')
  }

  async #writeDown(path: string, video: ReadableStream<Uint8Array>): Promise<number> {
    const file = await open(path, 'w', 0o600)
    try {
      let size = 0
      let lookedAt = 0
      // Leaving the loop cancels the video.
      for await (const piece of video) {
        size += piece.byteLength
        if (size > this.#bounds.maxBytes) throw new CopyRefused('too_large')
        if (size - lookedAt >= lookEveryBytes) {
          lookedAt = size
          await this.#requireRoom(0)
        }
        for (let at = 0; at < piece.byteLength; ) at += (await file.write(piece, at)).bytesWritten
      }
      await file.sync()
      return size
    } finally {
      await file.close()
    }
  }
}

/** `readPart`: a part of a file as a body. A copy is written next to its final place, synced and renamed. */
export function createFolderFiles(
  spool: SpoolFolder,
  readPart: (path: string, start: number, end: number) => Blob,
): VideoFiles {
  const pathOf = (taskId: string) => join(spool.folder, spool.nameOf(taskId))
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
