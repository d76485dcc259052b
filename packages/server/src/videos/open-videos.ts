// Opens the handling of videos: their copies, their refunds, and the watch over those in the making.
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Limits } from '../limits/port.ts'
import { reportTo } from '../store/open-store.ts'
import type { VideoWrites } from '../store/statements/video-tasks.ts'
import type { VideoUpstream } from '../upstream/media-port.ts'
import type { World } from '../world/world.ts'
import { createAdvanceTask } from './advance-task.ts'
import { compareEveryMs, compareFolders } from './compare-folders.ts'
import type { VideoFiles } from './folder-files.ts'
import { createFolderFiles, readFreeBytes, SpoolFolder } from './folder-files.ts'
import { createNoteProgress, createTaskFailures, readReportedTasks } from './note-progress.ts'
import { createObjectFiles } from './object-files.ts'
import { watchTasks } from './watch-tasks.ts'

export type Videos = Awaited<ReturnType<typeof openVideos>>

const dayMs = 86_400_000
const mebibyte = 1024 * 1024

/** The watch starts here. `videoWrites`: writes in the name of this process. */
export async function openVideos(
  world: World,
  { limits, videoWrites }: { readonly limits: Limits; readonly videoWrites: VideoWrites },
  upstream: VideoUpstream,
) {
  const { config, secrets, store, clock, every, after, metrics, log, onStop } = world
  const { keep_files, keep_days } = config.settings.videos
  const { write } = store
  const keptMs = keep_files ? keep_days * dayMs : null
  const videoFiles = createCopies(world, 'mp4', config.settings.videos.max_file_mebibytes * mebibyte)
  // On SQLite there is only one process, on one machine.
  const mayDiffer = secrets.databaseUrl !== null && config.videoStore.kind === 'folder'
  const { folder } = config.videoStore
  const warn = (hosts: readonly string[]) =>
    log.warn(
      { folder, hosts },
      'Machines on this database keep videos and files in different folders, so each serves only its own. Share the folder, or set videos.store to an object store.',
    )
  const lookAfterFolder = async () => {
    await videoFiles.clean()
    if (mayDiffer) await compareFolders({ folder, store, host: hostname(), newId: randomUUID, clock, warn })
  }
  const report = reportTo(log, 'warn', 'The video folder could not be pruned.')
  const lookAfterSafely = () => lookAfterFolder().catch(error => report(error, { folder }))
  await lookAfterSafely()
  onStop(every(compareEveryMs, () => void lookAfterSafely()))
  const failures = createTaskFailures({
    write: videoWrites,
    limits,
    clock,
    observeRefund: task => metrics.observeRefund(task.modelId, task.cost),
  })
  const { failTask } = failures
  const noteProgress = createNoteProgress({ write, failTask, keptMs, clock })
  const reportTask = reportTo(log, 'warn', 'A video task could not be advanced.')
  // Both retry repeatedly, but a failure that the store has already reported is not reported again each time.
  const advanceTask = createAdvanceTask({
    write,
    upstream,
    videoFiles,
    failTask,
    noteProgress,
    keptMs,
    clock,
    reportFailure: (error, { teamId, taskId }) => reportTask(error, { team_id: teamId, video_id: taskId }),
  })
  const watch = watchTasks({
    store,
    advanceTask,
    clock,
    after,
    reportFailure: reportTo(log, 'error', 'Video tasks could not be checked; retrying.'),
  })
  onStop(watch.stop)
  store.health.onRecovery(() => watch.expect(clock()))
  return {
    files: videoFiles,
    reportMissingCopy: ({ teamId, taskId }: TaskRef, error: unknown) =>
      log.warn(
        { team_id: teamId, video_id: taskId, ...(error === null ? {} : { err: error }) },
        error === null
          ? 'A video copy is missing from the store. Do all machines have the same videos.store?'
          : 'A video copy could not be read.',
      ),
    reportLeftCopy: ({ teamId, taskId }: TaskRef, error: unknown) =>
      log.warn(
        { err: error, team_id: teamId, video_id: taskId },
        'The copy of a deleted video could not be removed. Remove it by hand.',
      ),
    noteProgress,
    reads: readReportedTasks(store.read, failures),
    expect: watch.expect,
  }
}

type TaskRef = { readonly teamId: string; readonly taskId: string }

/** Max silence of an object store. */
const objectPatienceMs = 30_000
/** A request begins within seconds of its signature; the rest is for clocks that differ. */
const signatureSeconds = 900

/** Files with one extension in the folder or object store of the settings. Rejects files above `maxBytes`. */
export function createCopies(
  { config, secrets, clock }: Pick<World, 'config' | 'secrets' | 'clock'>,
  extension: 'mp4' | 'bin',
  maxBytes: number,
): VideoFiles {
  const { videoStore, settings } = config
  const keys = secrets.videoStoreKeys
  const spool = new SpoolFolder(videoStore.folder, {
    extension,
    maxBytes,
    keepFreeBytes: settings.videos.keep_free_mebibytes * mebibyte,
    readFreeBytes,
    newName: randomUUID,
    clock,
  })
  if (videoStore.kind === 'folder' || keys === null)
    return createFolderFiles(spool, (path, start, end) => Bun.file(path).slice(start, end))
  const { endpoint, region, bucket, prefix } = videoStore
  const client = new Bun.S3Client({ ...keys, endpoint, region, bucket })
  return createObjectFiles({
    spool,
    sign: (name, method) => client.presign(`${prefix}${name}`, { method, expiresIn: signatureSeconds }),
    fetch,
    patienceMs: objectPatienceMs,
  })
}
