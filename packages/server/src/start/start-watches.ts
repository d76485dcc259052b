// Starts what looks at the surroundings of the calls every few seconds: the disk, and what the teams have left.
import type { Config } from '../config/config.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { GatewayParts } from '../gateway/app.ts'
import type { Log } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import { TeamWatch } from '../insight/watch-teams.ts'
import type { Limits } from '../limits/port.ts'
import { readTeamBudgets } from '../limits/team-budgets.ts'
import { DiskWatch, readDiskSpace } from '../operate/readiness/watch-disk.ts'
import { every } from '../world/timers.ts'

type RecordUncharged = GatewayParts['recordUncharged']

export type Watches = {
  readonly disk: DiskWatch
  /** The same function, which the figures of the teams count along with. */
  readonly countRefusals: (record: RecordUncharged) => RecordUncharged
  readonly stop: () => void
}

export type WatchesParts = {
  readonly config: Pick<Config, 'dataFolder' | 'settings'>
  readonly directory: Directory
  readonly limits: Limits
  /** Unix ms. */
  readonly clock: () => number
  readonly metrics: Pick<Metrics, 'watchDisk' | 'showTeams'>
  readonly log: Pick<Log, 'info' | 'warn'>
}

export async function startWatches(parts: WatchesParts): Promise<Watches> {
  const { config, directory, limits, clock, metrics, log } = parts
  const { settings, dataFolder } = config
  const disk = await DiskWatch.start({
    readSpace: () => readDiskSpace(dataFolder),
    every,
    warnBelowBytes: settings.warn_free_mebibytes * mebibyte,
    warn: ({ freeBytes }) =>
      log.warn(
        { free_bytes: freeBytes, folder: dataFolder },
        'The disk is filling up. When it is full, no calls and no entries are taken.',
      ),
    reportRecovery: ({ freeBytes }) => log.info({ free_bytes: freeBytes }, 'The disk has room again.'),
  })
  metrics.watchDisk(disk.space)
  const teams = settings.metrics_by_team
    ? new TeamWatch({
        readBudgets: () => readTeamBudgets(directory, limits, clock()),
        every,
        showTeams: metrics.showTeams,
      })
    : null
  return {
    disk,
    countRefusals: record => call => {
      teams?.noteUncharged(call)
      record(call)
    },
    stop: () => {
      disk.stop()
      teams?.stop()
    },
  }
}

const mebibyte = 1024 * 1024
