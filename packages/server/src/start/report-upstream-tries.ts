// Counts every try at an upstream, and writes a line of the log for those that failed.
import type { Log } from '../http/log.ts'
import type { ReportTry, UpstreamTry } from '../upstream/upstream-try.ts'

export type UpstreamReports = {
  readonly log: Pick<Log, 'warn'>
  readonly count: (upstream: string, outcome: string) => void
  readonly monotonicMs: () => number
}

const quietMs = 1000
const mostKinds = 1000

/**
 * What the participant did wrong, or ended, is counted only. Of failures of one kind (upstream, key, outcome, status) one line a second
 * is written: an upstream that is down fails as often as it is called. The next line says how many were left out.
 */
export function createUpstreamReports({ log, count, monotonicMs }: UpstreamReports) {
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

  return (upstream: string): ReportTry =>
    report => {
      count(upstream, report.outcome)
      if (isUpstreamFailure(report.outcome)) warn(upstream, report)
    }
}

/** `upstream_rejected` is an invalid request, `content_policy_violation` the upstream's judgement of a prompt. */
function isUpstreamFailure(outcome: string): boolean {
  return (outcome.startsWith('upstream_') && outcome !== 'upstream_rejected') || outcome === 'model_not_found'
}
