// An ordered and charged video, from the order to its end: the task that the store keeps while the video is being made.
import type { VideoRequest } from '@fairgate/contracts/videos/request.ts'

/** The request with defaults filled in, as replies show it. */
export type VideoWish = Required<Pick<VideoRequest, 'prompt' | 'seconds' | 'size'>>

export type TaskRef = {
  readonly teamId: string
  /** Our own id; unguessable. */
  readonly taskId: string
}

type TaskFacts = TaskRef & {
  readonly keyHash: string
  readonly modelId: string
  readonly endpoint: string
  /** The charge of the order and its periods, which a refund reverses. */
  readonly callId: string
  /** Nano-dollars. */
  readonly cost: number
  readonly periods: { readonly team: number; readonly key: number }
  /** `submitting` until the upstream has accepted the order. */
  readonly state: 'submitting' | 'processing' | 'completed' | 'failed'
  /** The upstream's name of the operation; null while submitting. */
  readonly operation: string | null
  /** The id of the upstream key that the operation belongs to; null while submitting. */
  readonly upstreamKey: string | null
  readonly error: { readonly code: string; readonly message: string } | null
  /** The upstream's file ids. */
  readonly files: readonly string[]
  /** Size of our own copy; null when there is none. */
  readonly storedBytes: number | null
  /** This and all other times: Unix ms. */
  readonly createdAt: number
  readonly completedAt: number | null
  /** When the video is no longer kept. */
  readonly expiresAt: number | null
  /** When a task that is still running is given up. */
  readonly deadlineAt: number
  /** When the task is due for its next check; null if nothing is left to do. */
  readonly dueAt: number | null
}

/** Ordered and shown at /v1/videos. */
export type ShownVideo = TaskFacts & { readonly orderedBy: 'videos'; readonly wish: VideoWish }

/** Ordered with predictLongRunning: the client asks for the upstream's operation and files. */
type RelayedVideo = TaskFacts & { readonly orderedBy: 'pass_through'; readonly wish: null }

export type VideoTask = ShownVideo | RelayedVideo
