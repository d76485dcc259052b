// Composes what looks after videos: their copies, their refunds, and the watch over those in the making.
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Log } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Limits } from '../limits/port.ts'
import type { VideoWrites } from '../store/statements/video-tasks.ts'
import type { Store } from '../store/store.ts'
import { isReportedByStore } from '../store/store-unavailable.ts'
import type { VideoUpstream } from '../upstream/video-port.ts'
import { createAdvanceTask } from '../videos/advance-task.ts'
import { createTaskFailures, readToldTasks } from '../videos/fail-task.ts'
import { createNoteProgress } from '../videos/note-progress.ts'
import { createVideoFiles, readFreeBytes } from '../videos/video-files.ts'
import { watchTasks } from '../videos/watch-tasks.ts'
import { after } from './timers.ts'

export type Videos = Awaited<ReturnType<typeof createVideos>>

const dayMs = 86_400_000
const mebibyte = 1024 * 1024

/** The watch runs from here on. */
export async function createVideos(parts: {
  readonly config: Config
  readonly store: Store
  /** In the name of this process. */
  readonly videoWrites: VideoWrites
  readonly limits: Limits
  readonly upstream: VideoUpstream
  readonly clock: () => number
  readonly metrics: Pick<Metrics, 'observeRefund'>
  readonly log: Pick<Log, 'warn' | 'error'>
}) {
  const { config, store, videoWrites, limits, upstream, clock, metrics, log } = parts
  const { keep_files, keep_days, max_file_mebibytes, keep_free_mebibytes } = config.settings.videos
  const { write } = store
  const keptMs = keep_files ? keep_days * dayMs : null
  const videoFiles = createVideoFiles(join(config.dataFolder, 'videos'), {
    mostBytes: max_file_mebibytes * mebibyte,
    keepFreeBytes: keep_free_mebibytes * mebibyte,
    readFreeBytes,
  })
  await videoFiles.clean()
  const failures = createTaskFailures({
    write: videoWrites,
    limits,
    clock,
    observeRefund: task => metrics.observeRefund(task.modelId, task.cost),
  })
  const { failTask } = failures
  const noteProgress = createNoteProgress({ write, failTask, keptMs, clock })
  // Both are tried again and again: what the store has told is not told again each time.
  const advanceTask = createAdvanceTask({
    write,
    upstream,
    videoFiles,
    failTask,
    noteProgress,
    keptMs,
    clock,
    reportFailure: (error, { teamId, taskId }) => {
      if (!isReportedByStore(error))
        log.warn({ err: error, team_id: teamId, video_id: taskId }, 'A video could not be looked after.')
    },
  })
  const watch = watchTasks({
    store,
    advanceTask,
    clock,
    after,
    reportFailure: error => {
      if (!isReportedByStore(error))
        log.error({ err: error }, 'Videos could not be looked after; tried again.')
    },
  })
  return { files: videoFiles, noteProgress, reads: readToldTasks(store.read, failures), watch }
}
