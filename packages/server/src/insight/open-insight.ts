// Opens the organisers' reports about the event: recent sums of spend and how much of it the logs cover, reports with the proof of the totals, and
// the conditions that need attention.
import type { Directory } from '../directory/create-directory.ts'
import type { Limits } from '../limits/port.ts'
import { KeptCoverage } from '../record/kept-coverage.ts'
import type { Records } from '../record/open-records.ts'
import { reportTo } from '../store/open-store.ts'
import type { Upstreams } from '../upstream/open-upstreams.ts'
import { isUpstreamFailure } from '../upstream/upstream-tries.ts'
import type { World } from '../world/world.ts'
import { Attention, type AttentionDependencies } from './attention/attention.ts'
import { keepSettledSums } from './forecast/keep-settled-sums.ts'
import { startSpend } from './start-spend.ts'
import { openTeamWatch } from './watch-teams.ts'

export type Insight = ReturnType<typeof openInsight>

/** At most one team each time. */
const coverageMs = 500
const mebibyte = 1024 * 1024

export function openInsight(
  world: World,
  parts: {
    readonly directory: Directory
    readonly limits: Limits
    readonly records: Pick<Records, 'coverage'>
    readonly upstreams: Pick<Upstreams, 'describeHealth'>
    readonly disk: { readonly space: () => { readonly freeBytes: number } | null }
    readonly ledger: AttentionDependencies['ledger']
  },
) {
  const { config, store, clock, every, log, onStop } = world
  const { directory, limits, disk } = parts
  const { read, write } = store
  const coverage = new KeptCoverage({ ...world, read, write, coverage: parts.records.coverage })
  const report = reportTo(log, 'error', 'The coverage of a team could not be read.')
  coverage.recall().catch(report)
  onStop(every(coverageMs, () => void coverage.turn().catch(report)))
  const sumSpend = keepSettledSums({ sumSpend: read.sumSpend, clock, version: directory.version })
  const spend = startSpend({ ...world, sumRecent: sumSpend, directory, limits })
  onStop(spend.stop)
  const attention = new Attention({
    directory,
    limits,
    read: { ...read, sumSpend },
    write,
    coverage,
    upstreams: () =>
      parts.upstreams.describeHealth().map(({ upstream, keys, lastOutcome, recentTries }) => ({
        upstream,
        recentTries,
        failure: lastOutcome !== null && isUpstreamFailure(lastOutcome) ? lastOutcome : null,
        keys: keys.map(({ id, key, fault }) => ({ id, name: key, fault })),
      })),
    disk: () => {
      const space = disk.space()
      if (space === null) return null
      return {
        freeBytes: space.freeBytes,
        warnBelowBytes: config.settings.warn_free_mebibytes * mebibyte,
      }
    },
    ledger: parts.ledger,
    wrongTotals: spend.countWrongTotals,
    clock,
  })
  return {
    /** Figures that both the overview and the conditions use. */
    recent: { sumSpend, coverage },
    spend: spend.parts,
    attention,
    teamWatch: openTeamWatch(world, directory, limits),
  }
}
