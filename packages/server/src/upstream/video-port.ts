// What the gateway asks of an upstream that makes videos: order one, ask how it stands, read the file.
import type { CatalogModel } from '../catalog/types.ts'
import type { Asker } from './key-ring.ts'
import type { SentImage } from './media-port.ts'

export type VideoCall = {
  readonly model: CatalogModel
  readonly prompt: string
  readonly seconds: number
  readonly aspectRatio: '16:9' | '9:16'
  readonly resolution: '720p' | '1080p'
  /** What the video begins with; null for a video out of words alone. */
  readonly image: SentImage | null
}

/** An order that the upstream has taken: its name there, and the id of the key that it belongs to. */
export type StartedOperation = { readonly operation: string; readonly upstreamKey: string }

export type VideoFailure = { readonly code: string; readonly message: string }

export type VideoProgress =
  | { readonly state: 'running' }
  /** Ids of the files, at least one. */
  | { readonly state: 'completed'; readonly files: readonly string[] }
  | { readonly state: 'failed'; readonly failure: VideoFailure }
  /** The upstream knows no such operation. */
  | { readonly state: 'unknown' }

export type FileRequest = {
  readonly file: string
  readonly upstreamKey: string
  /** A `range` header; null for the whole file. */
  readonly range: string | null
  readonly signal: AbortSignal
}

/** Every method throws ApiError (`upstream_*`) when the upstream fails, or its key is configured no longer. */
export type VideoUpstream = {
  /** Tried again only where the upstream has surely not taken the order. */
  readonly start: (call: VideoCall, team: Asker) => Promise<StartedOperation>
  /** Throws when the signal aborts. */
  readonly poll: (operation: StartedOperation, signal: AbortSignal, team: Asker) => Promise<VideoProgress>
  /** Resolves with 200, 206 or 416 and the file's own headers, of which the caller picks. */
  readonly openFile: (request: FileRequest) => Promise<Response>
}

/** The same for clients of the pass-through: `reply` is what the upstream said, word for word. Throws RelayedError or ApiError. */
export type VideoRelay = {
  readonly start: (
    model: CatalogModel,
    body: Uint8Array,
    team: Asker,
  ) => Promise<StartedOperation & { readonly reply: string }>
  readonly poll: (
    operation: StartedOperation,
    model: CatalogModel,
    team: Asker,
  ) => Promise<{ readonly reply: string; readonly progress: VideoProgress }>
  readonly describeFile: (file: string, upstreamKey: string, team: Asker) => Promise<string>
}
