// A stored task as the video that its team sees (spec 2.7, 3.1).
import type { Video } from '@fairgate/contracts/videos/video.ts'
import type { ShownVideo } from '../../../ledger/video-task.ts'
import { readExpiry } from '../../../videos/note-progress.ts'

/** How long a video usually takes: what `progress` is estimated by. */
const usualMs = 60_000

/** `now`: Unix ms. */
export function buildVideo(task: ShownVideo, now: number): Video {
  const expiresAt = readExpiry(task)
  const { prompt, seconds, size } = task.wish
  return {
    id: task.taskId,
    object: 'video',
    status: task.state === 'completed' || task.state === 'failed' ? task.state : 'processing',
    created_at: toUnix(task.createdAt),
    model: task.modelId,
    progress: progressOf(task, now),
    prompt,
    seconds,
    size,
    completed_at: task.completedAt === null ? null : toUnix(task.completedAt),
    expires_at: expiresAt === null ? null : toUnix(expiresAt),
    remixed_from_video_id: null,
    ...(task.error === null ? {} : { error: task.error }),
  }
}

/** The upstream tells nothing while it works: this nears 99 as time passes, and never goes back. */
function progressOf({ state, createdAt }: ShownVideo, now: number): number {
  if (state === 'completed') return 100
  if (state === 'failed') return 0
  return Math.min(99, Math.floor((Math.max(0, now - createdAt) / usualMs) * 99))
}

function toUnix(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
