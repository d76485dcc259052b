// Advances a due video by one step: asks the upstream for its state, ends it, copies it, or deletes the copy when its time is over.
import type { VideoTask } from '../ledger/video-task.ts'
import type { Store } from '../store/store.ts'
import type { VideoUpstream } from '../upstream/media-port.ts'
import { readLength } from '../upstream/read-whole.ts'
import type { World } from '../world/world.ts'
import { CopyRefused, type VideoFiles } from './folder-files.ts'
import type { FailTask } from './note-progress.ts'
import { isKept, type NoteProgress, nextLookDelay, upstreamKeepsMs } from './note-progress.ts'

export type AdvanceTaskDependencies = Pick<World, 'clock'> & {
  readonly write: Pick<Store['write'], 'postponeVideoTask' | 'recordVideoCopy'>
  readonly upstream: Pick<VideoUpstream, 'poll' | 'openFile'>
  readonly videoFiles: Pick<VideoFiles, 'save' | 'remove'>
  readonly failTask: FailTask
  readonly noteProgress: NoteProgress
  /** How long a copy is kept, in ms; null if none is made. */
  readonly keptMs: number | null
  readonly reportFailure: (error: unknown, task: VideoTask) => void
}

/** Resolves with the time (Unix ms) when the task is due again, or null if nothing is left to do. */
export type AdvanceTask = (task: VideoTask, signal: AbortSignal) => Promise<number | null>

/** A new operation may not be known everywhere at once. */
const unknownForMs = 60_000
const copyAgainMs = 60_000
/** A full disk is rarely freed within a minute. */
const roomAgainMs = 600_000
const longestCopyMs = 600_000

/** Rejects if the store fails; the task's lease is then lost, and the task comes up again. */
export function createAdvanceTask(dependencies: AdvanceTaskDependencies): AdvanceTask {
  const { write, upstream, videoFiles, failTask, noteProgress, keptMs, clock, reportFailure } = dependencies

  const postpone = async ({ teamId, taskId }: VideoTask, dueAt: number | null): Promise<number | null> => {
    await write.postponeVideoTask({ teamId, taskId, dueAt })
    return dueAt
  }

  const fail = async (task: VideoTask, code: string, message: string): Promise<null> => {
    await failTask(task, { code, message })
    return null
  }

  const look = async (task: VideoTask, signal: AbortSignal): Promise<number | null> => {
    const now = clock()
    if (now >= task.deadlineAt) return fail(task, 'timed_out', 'The video was not made in time.')
    const { operation, upstreamKey } = task
    if (operation === null || upstreamKey === null) throw new Error('A task without operation was started.')
    const later = now + nextLookDelay(now - task.createdAt)
    const progress = await upstream.poll({ operation, upstreamKey }, signal, task.teamId).catch(error => {
      // We stopped it because the server stops: the next process checks again.
      if (!signal.aborted) reportFailure(error, task)
      return { state: 'running' } as const
    })
    switch (progress.state) {
      case 'completed':
        await noteProgress(task, progress)
        return clock()
      case 'failed':
        await noteProgress(task, progress)
        return null
      case 'unknown':
        if (now - task.createdAt < unknownForMs) return postpone(task, later)
        return fail(task, 'upstream_error', 'The model provider no longer has this video.')
      default:
        return postpone(task, later)
    }
  }

  const copy = async (task: VideoTask, signal: AbortSignal): Promise<number | null> => {
    const { teamId, taskId, upstreamKey } = task
    const [file] = task.files
    if (file === undefined || upstreamKey === null) return postpone(task, task.expiresAt)
    let storedBytes: number
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(longestCopyMs)])
    try {
      const { body, status, headers } = await upstream.openFile({
        file,
        upstreamKey,
        range: null,
        signal: bounded,
      })
      if (body === null || status !== 200)
        throw new Error(`The upstream answered ${status} instead of sending the video.`)
      storedBytes = await videoFiles.save({
        taskId,
        video: body,
        expectedBytes: readLength(headers),
        signal: bounded,
      })
    } catch (error) {
      if (!signal.aborted) reportFailure(error, task)
      return postpone(task, nextCopy(error, task))
    }
    const dueAt = task.expiresAt
    const isWanted = await write.recordVideoCopy({ teamId, taskId, storedBytes, dueAt })
    // Deleted while it was being copied.
    if (!isWanted) await videoFiles.remove(taskId)
    return isWanted ? dueAt : null
  }

  /** Meanwhile the upstream serves the video, for as long as it keeps it. */
  const nextCopy = (error: unknown, task: VideoTask): number | null => {
    const isGone = clock() >= (task.completedAt ?? 0) + upstreamKeepsMs
    if (!(error instanceof CopyRefused)) return isGone ? task.expiresAt : clock() + copyAgainMs
    return isGone || error.reason === 'too_large' ? task.expiresAt : clock() + roomAgainMs
  }

  const expire = async (task: VideoTask): Promise<number | null> => {
    const { teamId, taskId } = task
    try {
      await videoFiles.remove(taskId)
    } catch (error) {
      reportFailure(error, task)
      return postpone(task, clock() + copyAgainMs)
    }
    await write.recordVideoCopy({ teamId, taskId, storedBytes: null, dueAt: null })
    return null
  }

  return async (task, signal) => {
    if (task.state === 'processing') return look(task, signal)
    if (task.state !== 'completed') return postpone(task, null)
    if (clock() >= (task.expiresAt ?? 0)) return expire(task)
    if (keptMs === null || !isKept(task) || task.storedBytes !== null) return postpone(task, task.expiresAt)
    return copy(task, signal)
  }
}
