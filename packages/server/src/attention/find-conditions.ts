// Decides what needs an organiser now: pure rules over figures that others gather. The list of the console and the webhooks rest on it.
import { formatLocalMoment } from '@fairgate/contracts/text/zoned-time.ts'
import { formatUsd, type NanoDollars, nanoDollars } from '../ledger/money.ts'
import { isRefusedOften, type LateCalls } from './refused-often.ts'

export type ConditionKind =
  | 'budget_low'
  | 'budget_spent'
  | 'budget_runs_dry'
  | 'event_cap_low'
  | 'event_cap_spent'
  | 'event_cap_forecast'
  | 'upstream_key_out'
  | 'upstream_out'
  | 'disk_short'
  | 'ledger_retrying'
  | 'totals_wrong'
  | 'refused_often'
  | 'recorder_silent'
  | 'log_uncovered'
  | 'board_locked'
  | 'question_waiting'

/** `critical`: calls are refused or evidence is at stake already. `warning`: they will be, if nobody does anything. */
export type Severity = 'critical' | 'warning'

export type Subject = {
  readonly kind: 'event' | 'team' | 'upstream' | 'upstream_key' | 'server'
  readonly id: string
  /** As people call it. */
  readonly name: string
}

export type Condition = {
  /** The same for as long as it lasts, on every process. */
  readonly id: string
  readonly kind: ConditionKind
  readonly severity: Severity
  readonly subjects: readonly Subject[]
  /** One sentence. Names of teams stand in it as their teams wrote them: show it with hidden characters made visible. */
  readonly text: string
  /** Unix ms: since when it is known; `now` for one that is new. */
  readonly since: number
  /** What an organiser can do about it; null where no command helps. */
  readonly action: { readonly text: string; readonly command: string } | null
}

export type TeamFacts = {
  readonly teamId: string
  readonly name: string
  readonly isBlocked: boolean
  /** Of the present budget period, which starts at `periodStart` (Unix ms). */
  readonly spent: NanoDollars
  readonly periodStart: number
  /** Grants included; null where nothing limits the team. */
  readonly budget: NanoDollars | null
  /** When the budget is spent at the pace of the last hour (Unix ms); null where it lasts until it can be spent no longer. */
  readonly dryAt: number | null
  /** Calls that were charged in the last `silenceMs`. */
  readonly recentCalls: number
  readonly lately: LateCalls
  /** Unix ms; null where the team has sent no log entry yet. */
  readonly lastEntryAt: number | null
  /** By an organiser, not by the event. */
  readonly isBoardLocked: boolean
  /** Nano-dollars, and how much of it the log explains (0 to 1); null while it is not known. */
  readonly explained: { readonly share: number; readonly judged: number; readonly covered: number } | null
  /** Questions that nobody has answered, and when the first of them was asked (Unix ms; null for none). */
  readonly questions: { readonly waiting: number; readonly since: number | null }
}

export type UpstreamFacts = {
  readonly upstream: string
  /** Since when (Unix ms) the last call of each look has failed, and with which code; null when one has not. */
  readonly failing: { readonly since: number; readonly code: string } | null
  /** `name`: the last characters of the key, or null. `fault` is null for a key that works. */
  readonly keys: readonly {
    readonly id: string
    readonly name: string | null
    readonly fault: 'refused' | 'exhausted' | 'busy' | null
  }[]
}

export type AttentionFacts = {
  /** Unix ms. */
  readonly now: number
  readonly teams: readonly TeamFacts[]
  /** Over all teams; null where the event has no cap. */
  readonly event: { readonly spent: NanoDollars; readonly cap: NanoDollars } | null
  /** What all teams will have spent when the present phase ends (Unix ms), at their pace; null where it is too early to say. */
  readonly forecast: { readonly spent: NanoDollars; readonly until: number } | null
  /** IANA name: in which times are told. */
  readonly timeZone: string
  readonly isGatewayOpen: boolean
  /** The present one, in which the gateway is open; null where there is none. */
  readonly openPhase: string | null
  readonly upstreams: readonly UpstreamFacts[]
  /** Null where the system does not tell. */
  readonly disk: { readonly freeBytes: number; readonly warnBelowBytes: number } | null
  /** `reason`: why no charge can be written now, as a word of the health page; null while charges can be. */
  readonly ledger: { readonly reason: string | null; readonly unwritten: number }
  /** Totals that are not the sums of their rows, by the last proof. */
  readonly wrongTotals: number
  /** Condition → Unix ms: since when it has been known. */
  readonly knownSince: ReadonlyMap<string, number>
}

/** A recorder sends at every push, so a quarter of an hour of calls without an entry is worth a question. */
export const silenceMs = 15 * 60_000
/** Longer than this a team does not wait for an answer without a person being told. */
const waitingMs = 10 * 60_000
const mostSilentCalls = 5
/** After the start of a period its pace says little. */
const earlyMs = 15 * 60_000
/** As the pages mark a session, in shares of the spend; less spend than this is not worth a question. */
const leastExplained = 0.6
const leastUnexplained = 1_000_000_000
/** A call may fail by itself; an upstream of which none succeeds for so long is out. */
const failingMs = 60_000
const lowShare = 0.8
/** A budget is rarely spent to the last nano-dollar: no call fits into what is left of it. Rounded to whole per cent this is 100. */
const spentShare = 0.995

/** Critical ones first, then those that have lasted longest. */
export function findConditions(facts: AttentionFacts): Condition[] {
  const found = [
    ...findServerConditions(facts),
    ...findCapCondition(facts),
    ...findCapForecast(facts),
    ...facts.upstreams.flatMap(upstream => findUpstreamConditions(upstream, facts.now)),
    ...facts.teams.flatMap(team => [
      ...findBudgetCondition(team),
      ...findDryness(team, facts),
      ...findRefusals(team, facts),
      ...findSilence(team, facts.now),
      ...findLackOfLog(team, facts.now),
      ...findLock(team, facts),
      ...findQuestions(team, facts.now),
    ]),
  ]
  return found
    .map(condition => ({ ...condition, since: facts.knownSince.get(condition.id) ?? facts.now }))
    .sort(
      (one, other) => rankOf(one) - rankOf(other) || one.since - other.since || (one.id < other.id ? -1 : 1),
    )
}

type Found = Omit<Condition, 'since'>

function rankOf({ kind, severity }: Found): number {
  if (kind === 'totals_wrong') return 0
  return severity === 'critical' ? 1 : 2
}

function findServerConditions({ disk, ledger, wrongTotals }: AttentionFacts): Found[] {
  const found: Found[] = []
  const subjects: Subject[] = [{ kind: 'server', id: 'server', name: 'the server' }]
  if (wrongTotals > 0)
    found.push({
      id: 'totals_wrong',
      kind: 'totals_wrong',
      severity: 'critical',
      subjects,
      text: `${count(wrongTotals, 'total')} of the ledger ${wrongTotals === 1 ? 'is' : 'are'} not the sum of the rows.`,
      action: { text: 'Name the owners', command: 'fairgate spend verify' },
    })
  if (ledger.reason !== null)
    found.push({
      id: 'ledger_retrying',
      kind: 'ledger_retrying',
      severity: 'critical',
      subjects,
      text: `Charges cannot be written (${ledger.reason}), so paid calls are refused; ${count(ledger.unwritten, 'charge')} wait${ledger.unwritten === 1 ? 's' : ''} to be written.`,
      action: null,
    })
  if (disk !== null && disk.freeBytes < disk.warnBelowBytes)
    found.push({
      id: 'disk_short',
      kind: 'disk_short',
      severity: 'warning',
      subjects,
      text: `The disk is filling up: ${mebibytes(disk.freeBytes)} MiB are free, less than ${mebibytes(disk.warnBelowBytes)}. When it is full, no calls and no entries are taken.`,
      action: null,
    })
  return found
}

function findCapCondition({ event }: AttentionFacts): Found[] {
  if (event === null) return []
  const state = judgeBudget(event.spent, event.cap)
  if (state === null) return []
  const subjects: Subject[] = [{ kind: 'event', id: 'event', name: 'the event' }]
  const figures = `$${formatUsd(event.spent)} of $${formatUsd(event.cap)}`
  const isSpent = state === 'spent'
  return [
    {
      id: isSpent ? 'event_cap_spent' : 'event_cap_low',
      kind: isSpent ? 'event_cap_spent' : 'event_cap_low',
      severity: isSpent ? 'critical' : 'warning',
      subjects,
      text: isSpent
        ? `The cap of the event is reached (${figures}): paid calls of all teams are refused.`
        : `The event has spent ${percentOf(event.spent, event.cap)} % of its cap (${figures}).`,
      action: { text: 'Raise the cap', command: 'fairgate event set --cap <usd>' },
    },
  ]
}

/** While the cap itself is near, that is said instead. */
function findCapForecast({ event, forecast, timeZone }: AttentionFacts): Found[] {
  if (event === null || forecast === null || judgeBudget(event.spent, event.cap) !== null) return []
  if (forecast.spent <= event.cap) return []
  return [
    {
      id: 'event_cap_forecast',
      kind: 'event_cap_forecast',
      severity: 'warning',
      subjects: [{ kind: 'event', id: 'event', name: 'the event' }],
      text: `At the present pace the event will have spent $${formatUsd(roundToCent(forecast.spent))} by ${showTime(forecast.until, timeZone)}, more than its cap ($${formatUsd(event.cap)}).`,
      action: { text: 'Raise the cap', command: 'fairgate event set --cap <usd>' },
    },
  ]
}

/** Keys that are busy for a moment are no news: they come back by themselves. */
function findUpstreamConditions({ upstream, keys, failing }: UpstreamFacts, now: number): Found[] {
  const out = keys.filter(({ fault }) => fault === 'refused' || fault === 'exhausted')
  if (out.length > 0 && out.length === keys.length)
    return [
      {
        id: `upstream_out:${upstream}`,
        kind: 'upstream_out',
        severity: 'critical',
        subjects: [{ kind: 'upstream', id: upstream, name: upstream }],
        text: `Every key of the upstream ${upstream} is refused or used up: its models cannot be called.`,
        action: replaceKeys,
      },
    ]
  if (failing !== null && now - failing.since >= failingMs)
    return [
      {
        id: `upstream_out:${upstream}`,
        kind: 'upstream_out',
        severity: 'critical',
        subjects: [{ kind: 'upstream', id: upstream, name: upstream }],
        text: `The calls of the upstream ${upstream} fail (${failing.code}).`,
        action: null,
      },
    ]
  return out.map(({ id, name, fault }) => ({
    id: `upstream_key_out:${upstream}:${id}`,
    kind: 'upstream_key_out',
    severity: 'warning',
    subjects: [{ kind: 'upstream_key', id, name: name ?? id }],
    text: `The key ${name === null ? id : `…${name}`} of the upstream ${upstream} is ${fault === 'refused' ? 'refused' : 'used up'}; ${count(keys.length - out.length, 'other key')} still serve${keys.length - out.length === 1 ? 's' : ''}.`,
    action: replaceKeys,
  }))
}

const replaceKeys = { text: 'Replace the key, then read the keys again', command: 'fairgate catalog reload' }

/** A team without budget cannot have spent it, and one that is blocked needs none. */
function findBudgetCondition({ teamId, name, isBlocked, spent, budget, periodStart }: TeamFacts): Found[] {
  const state = isBlocked || budget === null ? null : judgeBudget(spent, budget)
  if (budget === null || state === null) return []
  const figures = `$${formatUsd(roundToCent(spent))} of $${formatUsd(budget)}`
  const isSpent = state === 'spent'
  const kind = isSpent ? 'budget_spent' : 'budget_low'
  return [
    {
      id: `${kind}:${teamId}:${periodStart}`,
      kind,
      severity: isSpent ? 'critical' : 'warning',
      subjects: [{ kind: 'team', id: teamId, name }],
      text: isSpent
        ? `${name} has spent its budget (${figures}).`
        : `${name} has spent ${percentOf(spent, budget)} % of its budget (${figures}).`,
      action: { text: 'Grant', command: `fairgate grant ${teamId} <usd> --reason <text>` },
    },
  ]
}

/** Before the budget itself is low. What a team does in the first minutes of a period says nothing of its hours. */
function findDryness(team: TeamFacts, { now, timeZone, isGatewayOpen }: AttentionFacts): Found[] {
  const { teamId, name, isBlocked, spent, budget, periodStart, dryAt } = team
  if (!isGatewayOpen || isBlocked || budget === null || dryAt === null) return []
  if (now - periodStart < earlyMs || judgeBudget(spent, budget) !== null) return []
  return [
    {
      id: `budget_runs_dry:${teamId}:${periodStart}`,
      kind: 'budget_runs_dry',
      severity: 'warning',
      subjects: [{ kind: 'team', id: teamId, name }],
      text: `${name} will have spent its budget at ${showTime(dryAt, timeZone)}, at the pace of the last hour.`,
      action: { text: 'Grant', command: `fairgate grant ${teamId} <usd> --reason <text>` },
    },
  ]
}

/** A budget that is spent and a gateway that is closed refuse all calls: that is said elsewhere, once. */
function findRefusals(team: TeamFacts, { isGatewayOpen }: AttentionFacts): Found[] {
  const { teamId, name, isBlocked, spent, budget, lately } = team
  if (!isGatewayOpen || isBlocked || !isRefusedOften(lately)) return []
  if (budget !== null && judgeBudget(spent, budget) === 'spent') return []
  const { calls, refused, worst } = lately
  return [
    {
      id: `refused_often:${teamId}`,
      kind: 'refused_often',
      severity: 'warning',
      subjects: [{ kind: 'team', id: teamId, name }],
      text: `${name}: ${refused} of ${count(calls + refused, 'call')} were refused in the last ten minutes, most with ${worst ?? 'unknown causes'}.`,
      action: {
        text: 'See which',
        command: `fairgate call list ${teamId}${worst === null ? '' : ` --code ${worst}`}`,
      },
    },
  ]
}

/** Nobody weighs a budget by its nano-dollars. What is left is never shown as more than it is. */
function roundToCent(amount: NanoDollars): NanoDollars {
  const rounded = Math.ceil(amount / nanoPerCent) * nanoPerCent
  // A correction may have brought it to the most that can be counted.
  return Number.isSafeInteger(rounded) ? nanoDollars(rounded) : amount
}

const nanoPerCent = 10_000_000

function findSilence({ teamId, name, recentCalls, lastEntryAt }: TeamFacts, now: number): Found[] {
  const isSilent = lastEntryAt === null || lastEntryAt <= now - silenceMs
  if (recentCalls < mostSilentCalls || !isSilent) return []
  const last = lastEntryAt === null ? 'no log entry yet' : 'no log entry'
  return [
    {
      id: `recorder_silent:${teamId}`,
      kind: 'recorder_silent',
      severity: 'warning',
      subjects: [{ kind: 'team', id: teamId, name }],
      text: `${name} has made ${count(recentCalls, 'call')} in 15 minutes and sent ${last}: its recorder may be silent.`,
      action: { text: 'Look at the coverage', command: `fairgate coverage ${teamId}` },
    },
  ]
}

/** A recorder that is silent now is said first: with it the log cannot explain anything. */
function findLackOfLog(team: TeamFacts, now: number): Found[] {
  const { teamId, name, explained } = team
  if (explained === null || findSilence(team, now).length > 0) return []
  const { share, judged, covered } = explained
  if (share >= leastExplained || judged - covered <= leastUnexplained) return []
  return [
    {
      id: `log_uncovered:${teamId}`,
      kind: 'log_uncovered',
      severity: 'warning',
      subjects: [{ kind: 'team', id: teamId, name }],
      text: `The log of ${name} explains ${Math.floor(share * 100)} % of $${formatUsd(roundToCent(nanoDollars(judged)))}.`,
      action: { text: 'Look at the coverage', command: `fairgate coverage ${teamId}` },
    },
  ]
}

/** A lock by hand is right at a deadline, and a mistake while a phase goes on. */
function findLock({ teamId, name, isBlocked, isBoardLocked }: TeamFacts, facts: AttentionFacts): Found[] {
  const { openPhase } = facts
  if (!isBoardLocked || isBlocked || openPhase === null) return []
  return [
    {
      id: `board_locked:${teamId}`,
      kind: 'board_locked',
      severity: 'warning',
      subjects: [{ kind: 'team', id: teamId, name }],
      text: `The board of ${name} is locked, and its log entries are refused, while the phase ${openPhase} goes on.`,
      action: { text: 'Unlock', command: `fairgate board unlock ${teamId}` },
    },
  ]
}

/** Whoever is blocked may still want to know why. */
function findQuestions({ teamId, name, questions: { waiting, since } }: TeamFacts, now: number): Found[] {
  if (since === null || now - since < waitingMs) return []
  return [
    {
      id: `question_waiting:${teamId}`,
      kind: 'question_waiting',
      severity: 'warning',
      subjects: [{ kind: 'team', id: teamId, name }],
      text: `${name} has waited for an answer for more than ten minutes (${count(waiting, 'question')}).`,
      action: { text: 'Answer', command: 'fairgate question list --waiting' },
    },
  ]
}

/** A budget of nothing is a decision, not news. */
function judgeBudget(spent: NanoDollars, budget: NanoDollars): 'low' | 'spent' | null {
  if (budget === 0 || spent < budget * lowShare) return null
  return spent < budget * spentShare ? 'low' : 'spent'
}

/** To the minute, which changes less often than the estimate does. */
function showTime(moment: number, timeZone: string): string {
  return `${formatLocalMoment(Math.floor(moment / 60_000) * 60_000, timeZone)} (${timeZone})`
}

/** Rounded down, so that 99 % is not shown as all of it. */
function percentOf(part: number, whole: number): number {
  return Math.floor((part / whole) * 100)
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 ** 2)
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
