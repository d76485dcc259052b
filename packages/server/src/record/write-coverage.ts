// Writes the coverage of a team for both doors.
import {
  type CoverageQuery,
  defaultCoveragePage,
  type TeamCoverageRecord,
} from '@fairgate/contracts/calls/coverage.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { nanoDollars, toUsdNumber } from '../ledger/money.ts'
import type { TeamCoverage } from './coverage-reader.ts'
import type { JudgedCall } from './judge-calls.ts'
import type { CoverageSummary } from './kept-coverage.ts'
import type { Share } from './sum-coverage.ts'

/** An ambiguous call may fit more sessions than anyone reads. */
const maxSessions = 20

/** Includes the calls that the query asks for. */
export function writeCoverage(coverage: TeamCoverage, query: CoverageQuery): TeamCoverageRecord {
  const summary = writeSummary(coverage)
  return query.calls === 'true' ? { ...summary, calls: writeCallsPage(coverage.calls, query) } : summary
}

export function writeSummary(coverage: CoverageSummary): TeamCoverageRecord {
  const { classes, unexplainedBy, loggedOnly, missing } = coverage
  return {
    team_id: coverage.teamId,
    as_of: isoTime(coverage.asOf),
    coverage: coverage.coverage,
    coverage_with_probable: coverage.upTo,
    judged: writeShare(coverage.judged),
    classes: {
      session: writeShare(classes.session),
      text: writeShare(classes.text),
      ambiguous: writeShare(classes.ambiguous),
      probable: writeShare(classes.probable),
      unexplained: writeShare(classes.unexplained),
      pending: writeShare(classes.pending),
      before_setup: writeShare(classes.before_setup),
      side: writeShare(classes.side),
      app: writeShare(classes.app),
    },
    unexplained_by: Object.fromEntries(
      Object.entries(unexplainedBy).map(([reason, share]) => [reason, writeShare(share)]),
    ),
    logged_sessions: coverage.sessions,
    logged_only: loggedOnly,
    sessions_without_entries: missing.map(session => ({
      session_id: session.id,
      tool: session.tool,
      class: session.class,
      ...writeShare(session),
      first_at: isoTime(session.firstAt),
      last_at: isoTime(session.lastAt),
    })),
  }
}

/** `calls`: in the order of their ids, which is the order of arrival. */
function writeCallsPage(
  calls: readonly JudgedCall[],
  { class: name, before, limit = defaultCoveragePage }: CoverageQuery,
): NonNullable<TeamCoverageRecord['calls']> {
  const items: JudgedCall[] = []
  for (let index = calls.length - 1; index >= 0 && items.length <= limit; index -= 1) {
    const judged = calls[index]
    if (judged === undefined || (name !== undefined && judged.class !== name)) continue
    if (before === undefined || judged.call.callId < before) items.push(judged)
  }
  const shown = items.slice(0, limit)
  return {
    items: shown.map(({ call, class: found, by, sessions }) => ({
      call_id: call.callId,
      class: found,
      by,
      sessions: sessions.slice(0, maxSessions),
      tool: call.tool,
      session_id: call.sessionId,
      key: call.keyHash,
      received_at: isoTime(call.receivedAt),
      ...writeCost(call.cost),
    })),
    next_before: items.length > limit ? (shown.at(-1)?.call.callId ?? null) : null,
  }
}

function writeShare({ calls, cost }: Share) {
  return { calls, ...writeCost(cost) }
}

function writeCost(cost: number) {
  return { cost_nano: cost, cost: toUsdNumber(nanoDollars(cost)) }
}
