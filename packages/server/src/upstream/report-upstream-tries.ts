// Counts every try at an upstream, and writes a line of the log for those that failed and for each key that rests or is back.
import type { Log } from '../http/log.ts'
import type { KeyChange, KeyNews } from './key-ring.ts'
import { RecentTries, type TrySums } from './recent-tries.ts'
import type { ReportTry, UpstreamTry } from './upstream-try.ts'

export type UpstreamReports = {
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly count: (upstream: string, outcome: string) => void
  readonly monotonicMs: () => number
}

const quietMs = 1000
const mostKinds = 1000

/**
 * What the participant did wrong, or ended, is counted only. Of failures of one kind (upstream, key, outcome, status) one line a second
 * is written: an upstream that is down fails as often as it is called. The next line says how many were left out. A try whose call went on
 * with another key has no line: the key has one.
 */
export function createUpstreamReports({ log, count, monotonicMs }: UpstreamReports) {
  const lastOutcomes = new Map<string, string>()
  const recent = new Map<string, RecentTries>()
  const kinds = new Map<string, { toldAt: number; untold: number }>()

  const warn = (upstream: string, report: UpstreamTry): void => {
    const { endpoint, key, status, outcome, cause, willRetry } = report
    const kind = `${upstream} ${key} ${outcome} ${status}`
    const known = kinds.get(kind) ?? { toldAt: Number.NEGATIVE_INFINITY, untold: 0 }
    const now = monotonicMs()
    if (now - known.toldAt < quietMs) {
      known.untold += 1
      return
    }
    if (kinds.size >= mostKinds) kinds.clear()
    kinds.set(kind, { toldAt: now, untold: 0 })
    log.warn(
      {
        upstream,
        upstream_key: key,
        endpoint,
        status,
        outcome,
        cause,
        retried: willRetry,
        ...(known.untold > 0 ? { untold: known.untold } : {}),
      },
      'A call of the model provider failed.',
    )
  }

  return {
    tryOf: (upstream: string): ReportTry => {
      const tries = new RecentTries()
      recent.set(upstream, tries)
      return report => {
        const isFailed = isUpstreamFailure(report.outcome) && !report.movesOn
        count(upstream, report.outcome)
        lastOutcomes.set(upstream, report.outcome)
        tries.note(isFailed, monotonicMs())
        if (isFailed) warn(upstream, report)
      }
    },
    keysChanged: (upstream: string, { added, removed }: KeyChange): void => {
      if (added.length + removed.length === 0) return
      log.info({ upstream, added, removed }, 'The keys of an upstream have changed.')
    },
    /** Null before the first try. */
    lastOutcome: (upstream: string): string | null => lastOutcomes.get(upstream) ?? null,
    /** Of the last five minutes. A try whose call went on with another key is no failure here: the key has its own news. */
    recentTries: (upstream: string): TrySums =>
      recent.get(upstream)?.sum(monotonicMs()) ?? { tries: 0, failed: 0 },
    /** One warning for each rest, however many calls it meets; `team_id` if the key rests for one team only. */
    keyOf: (upstream: string) => (news: KeyNews) => {
      const { id, key, fault, team } = news
      const only = team === null ? {} : { team_id: team }
      const which = { upstream, upstream_key: key, upstream_key_id: id, fault, ...only }
      if (news.state === 'back') {
        const seconds = { rested_seconds: inSeconds(news.restedMs) }
        log.info({ ...which, ...seconds }, 'A key of the model provider serves again.')
        return
      }
      const { cause, restMs } = news
      log.warn(
        { ...which, cause, rests_seconds: inSeconds(restMs) },
        'A key of the model provider was turned down and rests.',
      )
    },
  }
}

function inSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10
}

/** `upstream_rejected` is an invalid request, `content_policy_violation` the upstream's judgement of a prompt. */
export function isUpstreamFailure(outcome: string): boolean {
  return (outcome.startsWith('upstream_') && outcome !== 'upstream_rejected') || outcome === 'model_not_found'
}
