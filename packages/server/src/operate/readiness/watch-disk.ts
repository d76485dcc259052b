// Watches the data folder's disk, so that an operator learns that it is filling up before the database stops accepting charges.
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Settings } from '../../config/settings-file.ts'
import type { World } from '../../world/world.ts'

export type DiskSpace = { readonly freeBytes: number; readonly sizeBytes: number }

const lookMs = 5_000
/** Free space must exceed the bound by this much to count as room again, or a disk that hovers around it would be reported every few seconds. */
const recoveredFactor = 1.1
const mebibyte = 1024 * 1024

type WatchedWorld = Pick<World, 'every' | 'onStop'> & {
  readonly config: { readonly dataFolder: string; readonly settings: Pick<Settings, 'warn_free_mebibytes'> }
  readonly metrics: Pick<World['metrics'], 'watch'>
  readonly log: Pick<World['log'], 'info' | 'warn'>
}

/**
 * Warns when the free space falls below the configured limit, and each time it has halved since. Resolves after the first check. `readSpace`
 * rejects if the system does not report it.
 */
export async function openDiskWatch(
  { config, every, metrics, log, onStop }: WatchedWorld,
  readSpace = readDiskSpace,
): Promise<{ readonly space: () => DiskSpace | null }> {
  const { dataFolder: folder, settings } = config
  const warnBelowBytes = settings.warn_free_mebibytes * mebibyte
  /** As of the last check; null if the system does not report it. */
  let space: DiskSpace | null = null
  /** The free space at the last warning; null while there is room. */
  let warnedBytes: number | null = null
  let isLooking = false
  const report = (free_bytes: number): void => {
    if (free_bytes >= warnBelowBytes) {
      if (warnedBytes === null || free_bytes < warnBelowBytes * recoveredFactor) return
      warnedBytes = null
      log.info({ free_bytes }, 'The disk has enough free space again.')
    } else if (warnedBytes === null || free_bytes <= warnedBytes / 2) {
      warnedBytes = free_bytes
      log.warn(
        { free_bytes, folder },
        'The disk is filling up. When it is full, calls and log entries are refused.',
      )
    }
  }
  const look = async (): Promise<void> => {
    isLooking = true
    space = await readSpace(folder).catch(() => null)
    isLooking = false
    if (space !== null) report(space.freeBytes)
  }
  await look()
  const stop = every(lookMs, () => {
    // A network disk may be slow.
    if (!isLooking) void look()
  })
  onStop(stop)
  const read = () => space
  metrics.watch({ disk: read })
  return { space: read }
}

/** The space that this user may still write, and the size of the whole disk. For a folder that does not exist yet, its parent's disk. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const found = await statfs(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && dirname(folder) !== folder) return null
    throw error
  })
  if (found === null) return readDiskSpace(dirname(folder))
  const { bavail, blocks, bsize } = found
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}
