// A stored task as the video that its team sees (spec 2.7, 3.1).
import type { Video } from '@fairgate/contracts/videos/video.ts'
import type { VideoTasksTable } from '../../../store/schema/videos.ts'
import { readExpiry } from '../../../videos/note-progress.ts'
import type { VideoWish } from './plan-video.ts'

/** How long a video usually takes: what `progress` is estimated by. */
const usualMs = 60_000

/** `now`: Unix ms. */
export function buildVideo(task: VideoTasksTable, now: number): Video {
  const expiresAt = readExpiry(task)
  const { prompt, seconds, size } = JSON.parse(task.wish) as VideoWish
  return {
    id: task.task_id,
    object: 'video',
    status: task.state === 'completed' || task.state === 'failed' ? task.state : 'processing',
    created_at: toUnix(task.created_at),
    model: task.model_id,
    progress: progressOf(task, now),
    prompt,
    seconds,
    size,
    completed_at: task.completed_at === null ? null : toUnix(task.completed_at),
    expires_at: expiresAt === null ? null : toUnix(expiresAt),
    remixed_from_video_id: null,
    ...(task.error === null ? {} : { error: JSON.parse(task.error) as NonNullable<Video['error']> }),
  }
}

/** The upstream tells nothing while it works: this nears 99 as time passes, and never goes back. */
function progressOf({ state, created_at }: VideoTasksTable, now: number): number {
  if (state === 'completed') return 100
  if (state === 'failed') return 0
  return Math.min(99, Math.floor((Math.max(0, now - created_at) / usualMs) * 99))
}

function toUnix(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
