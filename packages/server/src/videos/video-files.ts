// The port to our own copies of finished videos: whole files only, so that a crash never leaves half of one to be served.

export type VideoFiles = {
  /**
   * Keeps a video, in place of an earlier copy; resolves with its size when it is safe. `expectedBytes` is what was said of it, null when
   * nothing was. Rejects with CopyRefused beyond the bounds; nothing of it stays then.
   */
  readonly save: (video: NewCopy) => Promise<number>
  /** Null when there is no copy of this size. Rejects when the place of the copies cannot be asked. */
  readonly read: (wanted: WantedCopy) => Promise<Blob | ReadableStream<Uint8Array> | null>
  readonly remove: (taskId: string) => Promise<void>
  /** Removes what processes that are gone had begun to write. */
  readonly clean: () => Promise<void>
}

export type NewCopy = {
  /** Ours: letters, digits and underscores. */
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

export const nameOf = (taskId: string): string => `${taskId}.mp4`
