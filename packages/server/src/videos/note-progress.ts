// Stores the result of a poll, from any process: files are assigned to the team and money is returned before the result is shown.
import { nanoDollars } from '../ledger/money.ts'
import type { VideoTask } from '../ledger/video-task.ts'
import type { Limits } from '../limits/port.ts'
import type { VideoWrites } from '../store/statements/video-tasks.ts'
import type { Store } from '../store/store.ts'
import type { VideoFailure, VideoProgress } from '../upstream/media-port.ts'
import type { World } from '../world/world.ts'

export type NoteProgressDependencies = Pick<World, 'clock'> & {
  readonly write: Pick<Store['write'], 'completeVideoTask'>
  readonly failTask: FailTask
  /** How long a copy is kept, in ms; null if none is made. */
  readonly keptMs: number | null
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

/** False for the pass-through, because its clients fetch their videos from the upstream themselves. */
export function isKept({ orderedBy }: VideoTask): boolean {
  return orderedBy === 'videos'
}

/** Unix ms until which a video is available: without our own copy, only as long as the upstream keeps it. */
export function readExpiry({
  expiresAt,
  completedAt,
  storedBytes,
}: Pick<VideoTask, 'expiresAt' | 'completedAt' | 'storedBytes'>): number | null {
  if (expiresAt === null || completedAt === null || storedBytes !== null) return expiresAt
  return Math.min(expiresAt, completedAt + upstreamKeepsMs)
}

/** Milliseconds until the next check of a task of this age: soon at first, for quick models, then less and less often. */
export function nextLookDelay(ageMs: number): number {
  return Math.min(10_000, Math.max(500, Math.round(ageMs / 4)))
}

// Ends a video that was not made: marked as failed in the store with its refund, then refunded in the limits, once each.

export type FailTaskDependencies = Pick<World, 'clock'> & {
  readonly write: Pick<VideoWrites, 'failVideoTask'>
  readonly limits: Pick<Limits, 'refund'>
  readonly observeRefund: (task: VideoTask) => void
}

export type FailTask = (task: VideoTask, failure: VideoFailure) => Promise<void>

/**
 * For a task with a charge that counts in the limits; any code that finds it failed may call this. Rejects if the store gave no answer: the task
 * is then unchanged, or failed by a commit that lost its answer. A retry ends it either way, and returns the money once.
 */
export function createTaskFailures(dependencies: FailTaskDependencies) {
  const { write, limits, clock, observeRefund } = dependencies
  /** Tasks for which the store gave no answer: the next try shows whether the money is back. */
  const unsure = new Set<string>()
  /** Task → the end of the last attempt to fail it. */
  const underWay = new Map<string, Promise<void>>()

  const failOnce: FailTask = async (task, failure) => {
    const { teamId, taskId } = task
    const { refunded, failed } = await write
      .failVideoTask({ teamId, taskId, error: failure, now: clock(), hidden: false })
      .catch(error => {
        unsure.add(taskId)
        throw error
      })
    const wasUnsure = unsure.delete(taskId)
    if (!refunded && !(failed && wasUnsure)) return
    limits.refund({
      teamId,
      keyHash: task.keyHash,
      modelId: task.modelId,
      periods: task.periods,
      cost: nanoDollars(task.cost),
    })
    observeRefund(task)
  }

  return Object.freeze({
    failTask: (task: VideoTask, failure: VideoFailure): Promise<void> => {
      const { taskId } = task
      // In sequence: a second caller is not done before the money is back.
      const failing = (underWay.get(taskId) ?? Promise.resolve()).then(() => failOnce(task, failure))
      const over = failing
        .catch(() => undefined)
        .then(() => {
          if (underWay.get(taskId) === over) underWay.delete(taskId)
        })
      underWay.set(taskId, over)
      return failing
    },
    /** Resolves when no attempt to fail this task is running: the limits then know what the store has reported of it. */
    whenReported: async (taskId: string): Promise<void> => underWay.get(taskId),
  })
}

export type ReportedTasks = Pick<
  Store['read'],
  'readVideoTask' | 'listVideoTasks' | 'readUpstreamOperation' | 'readUpstreamFile'
>

/** Reads videos for their teams: a failed one is only shown once its money is back in the limits. */
export function readReportedTasks(
  read: ReportedTasks,
  { whenReported }: Pick<ReturnType<typeof createTaskFailures>, 'whenReported'>,
): ReportedTasks {
  const report = async (task: VideoTask | null): Promise<VideoTask | null> => {
    if (task?.state === 'failed') await whenReported(task.taskId)
    return task
  }
  return {
    readVideoTask: async input => report(await read.readVideoTask(input)),
    readUpstreamOperation: async input => report(await read.readUpstreamOperation(input)),
    listVideoTasks: async input => {
      const tasks = await read.listVideoTasks(input)
      for (const task of tasks) await report(task)
      return tasks
    },
    readUpstreamFile: read.readUpstreamFile,
  }
}
