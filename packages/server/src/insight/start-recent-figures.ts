// Starts what the overview and the conditions of the moment both look at: recent sums of spend, and how much of it the logs cover.

import type { Log } from '../http/log.ts'
import { KeptCoverage, type KeptCoverageDependencies } from '../record/kept-coverage.ts'
import { isReportedByStore } from '../store/store-unavailable.ts'
import { every } from '../world/timers.ts'
import { keepSettledSums, type SettledSumsDependencies } from './forecast/keep-settled-sums.ts'

export type RecentFigures = {
  readonly sumSpend: SettledSumsDependencies['sumSpend']
  readonly coverage: KeptCoverage
  readonly stop: () => void
}

/** At most one team each time. */
const coverageMs = 500

export function startRecentFigures({
  read,
  directory,
  log,
  ...parts
}: KeptCoverageDependencies & {
  readonly read: Pick<SettledSumsDependencies, 'sumSpend'>
  readonly directory: Pick<SettledSumsDependencies, 'version'>
  readonly log: Pick<Log, 'error'>
}): RecentFigures {
  const coverage = new KeptCoverage(parts)
  const report = (error: unknown): void => {
    if (!isReportedByStore(error)) log.error({ err: error }, 'The coverage of a team could not be read.')
  }
  return {
    sumSpend: keepSettledSums({ sumSpend: read.sumSpend, clock: parts.clock, version: directory.version }),
    coverage,
    stop: every(coverageMs, () => void coverage.turn().catch(report)),
  }
}
