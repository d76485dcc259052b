// Stores what a poll has shown, whoever polled: files become the team's and money goes back before anybody is told.
import type { VideoTask } from '../ledger/video-task.ts'
import type { Store } from '../store/store.ts'
import type { VideoProgress } from '../upstream/video-port.ts'
import type { FailTask } from './fail-task.ts'

export type NoteProgressDependencies = {
  readonly write: Pick<Store['write'], 'completeVideoTask'>
  readonly failTask: FailTask
  /** How long a copy is kept, in ms; null when none is made. */
  readonly keptMs: number | null
  /** Unix ms. */
  readonly clock: () => number
}

/** Rejects when the store fails. */
export type NoteProgress = (task: VideoTask, progress: VideoProgress) => Promise<void>

/** How long the upstream keeps what it made. */
export const upstreamKeepsMs = 48 * 3_600_000

export function createNoteProgress(dependencies: NoteProgressDependencies): NoteProgress {
  const { write, failTask, keptMs, clock } = dependencies
  return async (task, progress) => {
    if (task.state !== 'processing') return
    if (progress.state === 'failed') await failTask(task, progress.failure)
    if (progress.state !== 'completed') return
    const { teamId, taskId } = task
    const now = clock()
    await write.completeVideoTask({
      teamId,
      taskId,
      files: progress.files,
      completedAt: now,
      expiresAt: now + (keptMs !== null && isKept(task) ? keptMs : upstreamKeepsMs),
      dueAt: now,
    })
  }
}

/** The client of the pass-through fetches its videos from the upstream itself. */
export function isKept({ orderedBy }: VideoTask): boolean {
  return orderedBy === 'videos'
}

/** Until when a video can be had, Unix ms: without a copy of ours only as long as the upstream keeps it. */
export function readExpiry({
  expiresAt,
  completedAt,
  storedBytes,
}: Pick<VideoTask, 'expiresAt' | 'completedAt' | 'storedBytes'>): number | null {
  if (expiresAt === null || completedAt === null || storedBytes !== null) return expiresAt
  return Math.min(expiresAt, completedAt + upstreamKeepsMs)
}

/** Milliseconds until the next look at a task of this age: soon at first, for quick models, then less and less often. */
export function nextLookDelay(ageMs: number): number {
  return Math.min(10_000, Math.max(500, Math.round(ageMs / 4)))
}
