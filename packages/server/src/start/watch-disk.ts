// Looks at the disk of the data folder, so that it is told to be filling up before the database stops taking charges.

export type DiskSpace = { readonly freeBytes: number; readonly sizeBytes: number }

export type DiskWatchDependencies = {
  /** Rejects where the system does not say. */
  readonly readSpace: () => Promise<DiskSpace>
  /** Runs a function every so many milliseconds; returns its stop. */
  readonly every: (milliseconds: number, run: () => void) => () => void
  /** Less than this is worth a warning; 0 for none. */
  readonly warnBelowBytes: number
  /** Told when the free space falls below the bound, and again each time that it has halved since. */
  readonly warn: (space: DiskSpace) => void
  readonly reportRecovery: (space: DiskSpace) => void
}

const lookMs = 5_000

/** Resolves after the first look. `space` is null where the system does not say. */
export async function watchDisk(dependencies: DiskWatchDependencies) {
  const { readSpace, every, warnBelowBytes, warn, reportRecovery } = dependencies
  let space: DiskSpace | null = null
  let toldBytes: number | null = null
  const look = async (): Promise<void> => {
    space = await readSpace().catch(() => null)
    if (space === null) return
    const { freeBytes } = space
    if (freeBytes >= warnBelowBytes) {
      // A little more than the bound, or a disk that hovers around it would be told about every few seconds.
      if (toldBytes === null || freeBytes < warnBelowBytes * 1.1) return
      toldBytes = null
      reportRecovery(space)
    } else if (toldBytes === null || freeBytes <= toldBytes / 2) {
      toldBytes = freeBytes
      warn(space)
    }
  }
  await look()
  let isLooking = false
  const stop = every(lookMs, () => {
    // A network disk may take its time.
    if (isLooking) return
    isLooking = true
    void look().finally(() => {
      isLooking = false
    })
  })
  return { space: () => space, stop }
}
