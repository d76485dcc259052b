// A folder in which videos are written down before they are copies: within bounds, on disk, and never the whole disk.
import { mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { CopyRefused, type NewCopy, nameOf } from './video-files.ts'

export type SpoolBounds = {
  /** The largest video that is copied. */
  readonly mostBytes: number
  /** What the disk must still have free beside it. */
  readonly keepFreeBytes: number
  /** What the disk of a folder has left for us. */
  readonly readFreeBytes: (folder: string) => Promise<number>
  /** Part of the name of what this process is writing: others may write to the folder too. */
  readonly newName: () => string
  /** Unix ms. */
  readonly clock: () => number
}

export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

const unfinished = '.part'
/** The disk is looked at again after so much: others write to it as well. */
const lookEveryBytes = 16 * 1024 * 1024
/** A copy takes ten minutes at most, and the clock of a file server may be another one. */
const abandonedMs = 3_600_000

export class SpoolFolder {
  readonly folder: string
  readonly #bounds: SpoolBounds

  constructor(folder: string, bounds: SpoolBounds) {
    this.folder = folder
    this.#bounds = bounds
  }

  /**
   * Writes a video down and hands it to `keep`; resolves with its size when that is done. What `keep` leaves of the file is removed.
   * Rejects with CopyRefused beyond the bounds.
   */
  async write(
    { taskId, video, expectedBytes }: Pick<NewCopy, 'taskId' | 'video' | 'expectedBytes'>,
    keep: (path: string, bytes: number) => Promise<void>,
  ): Promise<number> {
    await mkdir(this.folder, { recursive: true })
    const path = join(this.folder, `${nameOf(taskId)}.${this.#bounds.newName()}${unfinished}`)
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

  /** Leaves what another process may still be writing. */
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
    const { mostBytes, keepFreeBytes, readFreeBytes: readFree } = this.#bounds
    if (bytes > mostBytes) throw new CopyRefused('too_large')
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
        if (size > this.#bounds.mostBytes) throw new CopyRefused('too_large')
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
