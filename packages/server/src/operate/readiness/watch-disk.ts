// Watches the disk of the data folder, so that an operator hears that it fills up before the database stops taking charges.
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { World } from '../../world/world.ts'

export type DiskSpace = { readonly freeBytes: number; readonly sizeBytes: number }

export type DiskWatchDependencies = {
  /** Rejects where the system does not tell. */
  readonly readSpace: () => Promise<DiskSpace>
  /** Runs a function every so many milliseconds; returns its stop. */
  readonly every: (milliseconds: number, run: () => void) => () => void
  /** Less than this is worth a warning; 0 for none. */
  readonly warnBelowBytes: number
  /** Called when the free space falls below the bound, and again each time it has halved since. */
  readonly warn: (space: DiskSpace) => void
  readonly reportRecovery: (space: DiskSpace) => void
}

const lookMs = 5_000
/** Room again means this much more than the bound, or a disk that hovers around it would be reported every few seconds. */
const recoveredFactor = 1.1
const mebibyte = 1024 * 1024

export class DiskWatch {
  readonly #dependencies: DiskWatchDependencies
  #space: DiskSpace | null = null
  /** The free space at the last warning; null while there is room. */
  #warnedBytes: number | null = null
  #isLooking = false
  #stop = () => {}

  private constructor(dependencies: DiskWatchDependencies) {
    this.#dependencies = dependencies
  }

  /** Resolves after the first look. */
  static async start(dependencies: DiskWatchDependencies): Promise<DiskWatch> {
    const watch = new DiskWatch(dependencies)
    await watch.#look()
    watch.#stop = dependencies.every(lookMs, () => {
      // A network disk may take its time.
      if (!watch.#isLooking) void watch.#look()
    })
    return watch
  }

  /** As of the last look; null where the system does not tell. */
  readonly space = (): DiskSpace | null => this.#space

  stop(): void {
    this.#stop()
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    this.#space = await this.#dependencies.readSpace().catch(() => null)
    this.#isLooking = false
    if (this.#space !== null) this.#report(this.#space)
  }

  #report(space: DiskSpace): void {
    const { warnBelowBytes, warn, reportRecovery } = this.#dependencies
    const { freeBytes } = space
    if (freeBytes >= warnBelowBytes) {
      if (this.#warnedBytes === null || freeBytes < warnBelowBytes * recoveredFactor) return
      this.#warnedBytes = null
      reportRecovery(space)
    } else if (this.#warnedBytes === null || freeBytes <= this.#warnedBytes / 2) {
      this.#warnedBytes = freeBytes
      warn(space)
    }
  }
}

/** Resolves after the first look. */
export async function openDiskWatch({ config, every, metrics, log, onStop }: World): Promise<DiskWatch> {
  const { dataFolder: folder, settings } = config
  const watch = await DiskWatch.start({
    readSpace: () => readDiskSpace(folder),
    every,
    warnBelowBytes: settings.warn_free_mebibytes * mebibyte,
    warn: ({ freeBytes }) =>
      log.warn(
        { free_bytes: freeBytes, folder },
        'The disk is filling up. When it is full, no calls and no entries are taken.',
      ),
    reportRecovery: ({ freeBytes }) => log.info({ free_bytes: freeBytes }, 'The disk has room again.'),
  })
  metrics.watch({ disk: watch.space })
  onStop(() => watch.stop())
  return watch
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
