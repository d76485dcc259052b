// Our own copies of finished videos: whole files only, so that a crash never leaves half of one to be served, and never the whole disk.
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

export type VideoFiles = ReturnType<typeof createVideoFiles>

export type VideoBounds = {
  /** The largest video that is copied. */
  readonly mostBytes: number
  /** What the disk must still have free beside it. */
  readonly keepFreeBytes: number
  /** What the disk of a folder has left for us. */
  readonly readFreeBytes: (folder: string) => Promise<number>
}

/** The video does not fit our bounds: the upstream still has it. */
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

export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

const unfinished = '.part'
/** The disk is looked at again after so much: others write to it as well. */
const lookEveryBytes = 16 * 1024 * 1024

export function createVideoFiles(folder: string, bounds: VideoBounds) {
  // Ids are ours: letters, digits and underscores.
  const pathOf = (taskId: string) => join(folder, `${taskId}.mp4`)

  const requireRoom = async (bytes: number): Promise<void> => {
    if (bytes > bounds.mostBytes) throw new CopyRefused('too_large')
    if ((await bounds.readFreeBytes(folder)) - bytes < bounds.keepFreeBytes) throw new CopyRefused('no_room')
  }

  const write = async (path: string, video: ReadableStream<Uint8Array>): Promise<number> => {
    const file = await open(path, 'w')
    try {
      let size = 0
      let lookedAt = 0
      // Leaving the loop cancels the video.
      for await (const piece of video) {
        size += piece.byteLength
        if (size > bounds.mostBytes) throw new CopyRefused('too_large')
        if (size - lookedAt >= lookEveryBytes) {
          lookedAt = size
          await requireRoom(0)
        }
        for (let at = 0; at < piece.byteLength; ) at += (await file.write(piece, at)).bytesWritten
      }
      await file.sync()
      return size
    } finally {
      await file.close()
    }
  }

  return Object.freeze({
    /**
     * Writes a video, in place of an earlier one; resolves with its size when it is on disk. `expectedBytes` is what was said of it,
     * null when nothing was. Throws CopyRefused beyond the bounds; nothing of it stays then.
     */
    save: async (
      taskId: string,
      video: ReadableStream<Uint8Array>,
      expectedBytes: number | null,
    ): Promise<number> => {
      await mkdir(folder, { recursive: true })
      const path = pathOf(taskId)
      const part = `${path}${unfinished}`
      try {
        await requireRoom(expectedBytes ?? 0)
        const size = await write(part, video)
        await rename(part, path)
        return size
      } catch (error) {
        await rm(part, { force: true })
        await video.cancel().catch(() => undefined)
        throw error
      }
    },
    /** Where it is; null when there is none. */
    find: async (taskId: string) => {
      const path = pathOf(taskId)
      const found = await stat(path).catch(() => null)
      return found === null ? null : { path, bytes: found.size }
    },
    remove: (taskId: string) => rm(pathOf(taskId), { force: true }),
    /** Removes what an earlier life of the process had begun to write. */
    clean: async () => {
      const names = await readdir(folder).catch(() => [])
      for (const name of names) if (name.endsWith(unfinished)) await rm(join(folder, name), { force: true })
    },
  })
}
