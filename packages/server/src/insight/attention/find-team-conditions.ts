// Decides which teams need an organiser now: pure rules over the figures of one team.

import { formatUsd, type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import { leastExplained } from '../../record/kept-coverage.ts'
import { judgeBudget, percentOf, roundToCent } from './budget-share.ts'
import { count, type Found, type Surroundings, showTime } from './condition.ts'
import { isRefusedOften, type LateCalls } from './refused-often.ts'

export type TeamFacts = {
  readonly teamId: string
  readonly name: string
  readonly isBlocked: boolean
  /** In the current budget period, which starts at `periodStart` (Unix ms). */
  readonly spent: NanoDollars
  readonly periodStart: number
  /** Grants included; null if nothing limits the team. */
  readonly budget: NanoDollars | null
  /** When the budget will be spent at the pace of the last hour (Unix ms); null if it lasts as long as it can be spent. */
  readonly dryAt: number | null
  /** Calls that were charged in the last `silenceMs`. */
  readonly recentCalls: number
  readonly lately: LateCalls
  /** Unix ms; null if the team has not sent a log entry yet. */
  readonly lastEntryAt: number | null
  /** By an organiser, not by the event. */
  readonly isBoardLocked: boolean
  /** Unix ms; null while its board refuses entries. */
  readonly logOpenSince: number | null
  /** Nano-dollars, and the share that the log explains (0 to 1); null while not known. */
  readonly explained: { readonly share: number; readonly judged: number; readonly covered: number } | null
  /** Reported by the provider, not charged to the team and not cleared by an organiser. */
  readonly uncharged: NanoDollars
  /** Unanswered questions, and when the first of them was asked (Unix ms; null if none). */
  readonly questions: { readonly waiting: number; readonly since: number | null }
}

/** A recorder sends at every push, so calls without an entry for a quarter of an hour are worth a question. */
export const silenceMs = 15 * 60_000
/** After a team has waited this long for an answer, an organiser is notified. */
const waitingMs = 10 * 60_000
const maxSilentCalls = 5
/** Right after the start of a period the pace says little. */
const earlyMs = 15 * 60_000
/** Nano-dollars: less than this is not worth a question. */
const leastUnexplained = 1_000_000_000

export function findTeamConditions(team: TeamFacts, facts: Surroundings): Found[] {
  return [
    ...findBudgetCondition(team),
    ...findDryness(team, facts),
    ...findRefusals(team, facts),
    ...findSilence(team, facts),
    ...findLackOfLog(team, facts),
    ...findLock(team, facts),
    ...findQuestions(team, facts.now),
    ...findUncharged(team),
  ]
}

/** A warning about this team, unless `more` overrides it. */
function warn(
  { teamId, name }: TeamFacts,
  kind: Found['kind'],
  text: string,
  action: Found['action'],
  more: Partial<Pick<Found, 'id' | 'severity'>> = {},
): Found[] {
  const subjects = [{ kind: 'team' as const, id: teamId, name }]
  return [{ id: `${kind}:${teamId}`, kind, severity: 'warning', subjects, text, action, ...more }]
}

function grant({ teamId }: TeamFacts): Found['action'] {
  return { text: 'Grant', command: `fairgate grant ${teamId} <usd> --reason <text>` }
}

function lookAtCoverage({ teamId }: TeamFacts): Found['action'] {
  return { text: 'Check the coverage', command: `fairgate api GET /coverage team_id=${teamId}` }
}

/** A team without budget cannot have spent it, and a blocked team needs none. */
function findBudgetCondition(team: TeamFacts): Found[] {
  const { teamId, name, isBlocked, spent, budget, periodStart } = team
  const state = isBlocked || budget === null ? null : judgeBudget(spent, budget)
  if (budget === null || state === null) return []
  const figures = `$${formatUsd(roundToCent(spent))} of $${formatUsd(budget)}`
  const isSpent = state === 'spent'
  const kind = isSpent ? 'budget_spent' : 'budget_low'
  const text = isSpent
    ? `${name} has spent its budget (${figures}).`
    : `${name} has spent ${percentOf(spent, budget)} % of its budget (${figures}).`
  const severity = isSpent ? 'critical' : 'warning'
  return warn(team, kind, text, grant(team), { id: `${kind}:${teamId}:${periodStart}`, severity })
}

/** Only before the budget itself is low. The first minutes of a period do not predict the hours after it. */
function findDryness(team: TeamFacts, facts: Surroundings): Found[] {
  const { now, isGatewayOpen } = facts
  const { teamId, name, isBlocked, spent, budget, periodStart, dryAt } = team
  if (!isGatewayOpen || isBlocked || budget === null || dryAt === null) return []
  if (now - periodStart < earlyMs || judgeBudget(spent, budget) !== null) return []
  return warn(
    team,
    'budget_runs_dry',
    `${name} will have spent its budget at ${showTime(dryAt, facts)}, at the pace of the last hour.`,
    grant(team),
    { id: `budget_runs_dry:${teamId}:${periodStart}` },
  )
}

/** A spent budget and a closed gateway refuse all calls and are reported as such. */
function findRefusals(team: TeamFacts, { isGatewayOpen }: Surroundings): Found[] {
  const { teamId, name, isBlocked, spent, budget, lately } = team
  if (!isGatewayOpen || isBlocked || !isRefusedOften(lately)) return []
  if (budget !== null && judgeBudget(spent, budget) === 'spent') return []
  const { calls, refused, worst } = lately
  return warn(
    team,
    'refused_often',
    `${name}: ${refused} of ${count(calls + refused, 'call')} were refused in the last ten minutes, most with ${worst ?? 'unknown causes'}.`,
    {
      text: 'List the refused calls',
      command: `fairgate call list ${teamId}${worst === null ? '' : ` --code ${worst}`}`,
    },
  )
}

/** While the gateway or the board is closed, and for a quarter of an hour after, a log without entries is not news. */
function findSilence(team: TeamFacts, { now, isGatewayOpen }: Surroundings): Found[] {
  const { name, recentCalls, lastEntryAt, logOpenSince } = team
  if (!isGatewayOpen || logOpenSince === null || logOpenSince > now - silenceMs) return []
  const isSilent = lastEntryAt === null || lastEntryAt <= now - silenceMs
  if (recentCalls < maxSilentCalls || !isSilent) return []
  const last = lastEntryAt === null ? 'no log entry yet' : 'no log entry'
  return warn(
    team,
    'recorder_silent',
    `${name} has made ${count(recentCalls, 'call')} in 15 minutes and sent ${last}: its recorder may be silent.`,
    lookAtCoverage(team),
  )
}

/** A recorder that is silent now is reported instead: without its entries the log cannot explain the newest calls. */
function findLackOfLog(team: TeamFacts, facts: Surroundings): Found[] {
  const { name, explained } = team
  if (explained === null || findSilence(team, facts).length > 0) return []
  const { share, judged, covered } = explained
  if (share >= leastExplained || judged - covered <= leastUnexplained) return []
  return warn(
    team,
    'log_uncovered',
    `The log of ${name} explains ${Math.floor(share * 100)} % of $${formatUsd(roundToCent(nanoDollars(judged)))}.`,
    lookAtCoverage(team),
  )
}

/** A manual lock is right at a deadline, but a mistake while a phase is running. */
function findLock(team: TeamFacts, { openPhase }: Surroundings): Found[] {
  const { teamId, name, isBlocked, isBoardLocked } = team
  if (!isBoardLocked || isBlocked || openPhase === null) return []
  return warn(
    team,
    'board_locked',
    `The board of ${name} is locked while the phase ${openPhase} is running, so its log entries are refused.`,
    { text: 'Unlock', command: `fairgate board unlock ${teamId}` },
  )
}

/** A blocked team too, because the bill comes anyway. */
function findUncharged(team: TeamFacts): Found[] {
  const { teamId, name, uncharged } = team
  if (uncharged === 0) return []
  return warn(
    team,
    'uncharged',
    `The provider will bill $${formatUsd(roundToCent(uncharged))} more than was charged to ${name}. Its calls of this kind now get higher holds.`,
    {
      text: 'Check the calls, then clear',
      command: `fairgate team clear-uncharged ${teamId} --reason <text>`,
    },
  )
}

/** Blocked teams too: they may ask why they are blocked. */
function findQuestions(team: TeamFacts, now: number): Found[] {
  const { name, questions } = team
  const { waiting, since } = questions
  if (since === null || now - since < waitingMs) return []
  return warn(
    team,
    'question_waiting',
    `${name} has waited for an answer for more than ten minutes (${count(waiting, 'question')}).`,
    { text: 'Answer', command: 'fairgate question list --waiting' },
  )
}
