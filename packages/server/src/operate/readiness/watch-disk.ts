// Watches the disk of the data folder, so that an operator hears that it fills up before the database stops taking charges.
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Settings } from '../../config/settings-file.ts'
import type { World } from '../../world/world.ts'

export type DiskSpace = { readonly freeBytes: number; readonly sizeBytes: number }

const lookMs = 5_000
/** Room again means this much more than the bound, or a disk that hovers around it would be reported every few seconds. */
const recoveredFactor = 1.1
const mebibyte = 1024 * 1024

type WatchedWorld = Pick<World, 'every' | 'onStop'> & {
  readonly config: { readonly dataFolder: string; readonly settings: Pick<Settings, 'warn_free_mebibytes'> }
  readonly metrics: Pick<World['metrics'], 'watch'>
  readonly log: Pick<World['log'], 'info' | 'warn'>
}

/**
 * Warns when the free space falls below the bound of the settings, and again each time it has halved since. Resolves after the first look.
 * `readSpace` rejects where the system does not tell.
 */
export async function openDiskWatch(
  { config, every, metrics, log, onStop }: WatchedWorld,
  readSpace = readDiskSpace,
): Promise<{ readonly space: () => DiskSpace | null }> {
  const { dataFolder: folder, settings } = config
  const warnBelowBytes = settings.warn_free_mebibytes * mebibyte
  /** As of the last look; null where the system does not tell. */
  let space: DiskSpace | null = null
  /** The free space at the last warning; null while there is room. */
  let warnedBytes: number | null = null
  let isLooking = false
  const report = (free_bytes: number): void => {
    if (free_bytes >= warnBelowBytes) {
      if (warnedBytes === null || free_bytes < warnBelowBytes * recoveredFactor) return
      warnedBytes = null
      log.info({ free_bytes }, 'The disk has room again.')
    } else if (warnedBytes === null || free_bytes <= warnedBytes / 2) {
      warnedBytes = free_bytes
      log.warn(
        { free_bytes, folder },
        'The disk is filling up. When it is full, no calls and no entries are taken.',
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
    // A network disk may take its time.
    if (!isLooking) void look()
  })
  onStop(stop)
  const read = () => space
  metrics.watch({ disk: read })
  return { space: read }
}

/** What this user may still write, and the size of the whole disk. Of a folder that does not exist yet, the disk of its parent. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const found = await statfs(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && dirname(folder) !== folder) return null
    throw error
  })
  if (found === null) return readDiskSpace(dirname(folder))
  const { bavail, blocks, bsize } = found
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}
