// Turns facts about a team into the row that an organiser watches: one state, four lights, money and pace. Pure rules; times are Unix ms.
import {
  sparkSteps,
  type TeamLight,
  type TeamRow,
  type TeamState,
  teamStates,
} from '@fairgate/contracts/console/teams.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { type KeptShare, leastExplained } from '../record/kept-coverage.ts'
import { bucketMs } from '../store/schema/spend.ts'
import { isRefusedOften } from './attention/refused-often.ts'
import { type BudgetNow, forecastBudget } from './forecast/forecast-budget.ts'

/** Spend and refusals in five minutes. */
export type TeamBucket = {
  readonly start: number
  readonly cost: number
  readonly calls: number
  readonly refused: number
  /** Refusals that the team did not cause: the event was paused or closed. */
  readonly refusedByEvent: number
}

export type TeamFacts = Omit<BudgetNow, 'buckets'> & {
  readonly teamId: string
  readonly alias: string
  readonly isBlocked: boolean
  /** Number of keys, and how many of them can be used. */
  readonly keys: { readonly usable: number; readonly blocked: number; readonly all: number }
  readonly people: number
  readonly isGatewayOpen: boolean
  /** Unix ms; null while its board refuses entries. */
  readonly logOpenSince: number | null
  /** Nano-dollars, a part of the budget. */
  readonly granted: number
  /** Nano-dollars, over all time. */
  readonly uncharged: number
  /** Charged in the current phase. */
  readonly calls: number
  readonly lastCallAt: number | null
  readonly lastEntryAt: number | null
  readonly entries: number
  /** As far as it is known; null if not known. */
  readonly coverage: Pick<KeptShare, 'share' | 'hasToolEntry' | 'asOf'> | null
  /** For the last four hours. */
  readonly buckets: readonly TeamBucket[]
}

const minuteMs = 60_000
const sparkMs = 10 * minuteMs
const recorderMs = 15 * minuteMs
const quietMs = 30 * minuteMs
/** Fewer calls may well have been made by hand, without a recorded tool. */
const callsToRecord = 5
const nearShare = 0.1

export function buildTeamRow(facts: TeamFacts): TeamRow {
  const { now, budget, spent, held } = facts
  const { pace_nano_h, dry_at } = forecastBudget(facts)
  return {
    team_id: facts.teamId,
    team_alias: facts.alias,
    state: judgeState(facts),
    lights: {
      key: judgeKeys(facts),
      call: judgeCalls(facts),
      rec: judgeRecorder(facts),
      log: judgeLog(facts),
    },
    budget_nano: budget,
    granted_nano: facts.granted,
    spent_nano: spent,
    held_nano: held,
    uncharged_nano: facts.uncharged,
    left_nano: budget === null ? null : Math.max(0, budget - spent),
    pace_nano_h: roundPace(pace_nano_h.mid),
    dry_at: toMinute(dry_at.mid),
    spark: drawSpark(facts.buckets, now),
    calls: facts.calls,
    refused_1h: sumSince(facts.buckets, now - 60 * minuteMs).refused,
    last_call: isoTime(facts.lastCallAt),
    last_entry: isoTime(facts.lastEntryAt),
    entries: facts.entries,
    coverage: facts.coverage?.share ?? null,
    coverage_as_of: isoTime(facts.coverage?.asOf ?? null),
    people: facts.people,
    keys: facts.keys.usable,
    board_locked: facts.logOpenSince === null,
  }
}

/** To three digits: it is an estimate, and a row should not change each second because the hour has moved on. */
function roundPace(pace: number | null): number | null {
  return pace === null ? null : Number(pace.toPrecision(3))
}

/** The start of the current minute, for the same reason. */
function toMinute(time: string | null): string | null {
  return time === null ? null : isoTime(Math.floor(Date.parse(time) / minuteMs) * minuteMs)
}

/** Checked in the order of `teamStates`, including the last one but `working`. */
const rules: Readonly<Record<Exclude<TeamState, 'working'>, (facts: TeamFacts) => boolean>> = {
  budget_spent: ({ budget, spent }) => budget !== null && spent >= budget,
  refused_now: isRefusedNow,
  near_budget: ({ budget, spent }) => budget !== null && budget - spent < budget * nearShare,
  recorder_silent: isRecorderSilent,
  blocked: ({ isBlocked }) => isBlocked,
  not_started: ({ lastCallAt, lastEntryAt }) => lastCallAt === null && lastEntryAt === null,
  quiet: ({ now, isGatewayOpen, lastCallAt, lastEntryAt }) =>
    isGatewayOpen && Math.max(lastCallAt ?? 0, lastEntryAt ?? 0) < now - quietMs,
}

function judgeState(facts: TeamFacts): TeamState {
  for (const state of Object.keys(teamStates) as TeamState[])
    if (state !== 'working' && rules[state](facts)) return state
  return 'working'
}

function isRefusedNow({ now, buckets }: TeamFacts): boolean {
  const { calls, refused, refusedByEvent } = sumSince(buckets, now - bucketMs)
  return isRefusedOften({ calls, refused: refused - refusedByEvent })
}

function isRecorderSilent(facts: TeamFacts): boolean {
  return isToBeRecorded(facts) && !isHeard(facts)
}

function isToBeRecorded({ now, buckets, isGatewayOpen, logOpenSince }: TeamFacts): boolean {
  if (!isGatewayOpen || logOpenSince === null || logOpenSince > now - recorderMs) return false
  return sumSince(buckets, now - recorderMs).calls >= callsToRecord
}

function isHeard({ now, lastEntryAt }: TeamFacts): boolean {
  return lastEntryAt !== null && lastEntryAt >= now - recorderMs
}

function judgeKeys({ isBlocked, keys }: TeamFacts): TeamLight {
  if (isBlocked) return light('blocked', null, 'The team is blocked.')
  if (keys.all === 0) return light('none', null, 'The team has no key yet.')
  if (keys.usable > 0) return light('ok', null, `${keys.usable} of ${keys.all} keys can be used.`)
  return keys.blocked === keys.all
    ? light('blocked', null, 'All keys of the team are blocked.')
    : light('warn', null, "None of the team's keys can be used: they have expired or are blocked.")
}

function judgeCalls(facts: TeamFacts): TeamLight {
  const { calls, lastCallAt } = facts
  if (isRefusedNow(facts)) return light('warn', lastCallAt, 'Many calls are being refused.')
  return calls > 0
    ? light('ok', lastCallAt, `${calls} ${calls === 1 ? 'call has' : 'calls have'} succeeded.`)
    : light('none', lastCallAt, 'No call has succeeded yet.')
}

function judgeRecorder(facts: TeamFacts): TeamLight {
  const { lastEntryAt, logOpenSince } = facts
  if (logOpenSince === null) return light('none', lastEntryAt, 'The board is locked: it accepts no entries.')
  if (isHeard(facts)) return light('ok', lastEntryAt, 'A log entry came in the last 15 minutes.')
  if (isToBeRecorded(facts))
    return light('warn', lastEntryAt, 'Calls came in the last 15 minutes, but no log entry.')
  return lastEntryAt === null
    ? light('none', null, 'No log entry yet.')
    : light('ok', lastEntryAt, 'There was nothing to record.')
}

function judgeLog({ entries, lastEntryAt, coverage }: TeamFacts): TeamLight {
  if (entries === 0) return light('none', null, 'No log entry yet.')
  const arrived = `${entries} log ${entries === 1 ? 'entry has' : 'entries have'} arrived.`
  if (coverage === null) return light('none', lastEntryAt, arrived)
  if (!coverage.hasToolEntry)
    return light(
      'warn',
      lastEntryAt,
      "Only the recorder's own test has arrived. Use one of your AI tools, then push.",
    )
  const { share } = coverage
  if (share === null) return light('ok', lastEntryAt, arrived)
  const explained = `The log explains ${Math.floor(share * 100)} % of the spend.`
  return light(share < leastExplained ? 'warn' : 'ok', lastEntryAt, `${arrived} ${explained}`)
}

function light(s: TeamLight['s'], since: number | null, text: string): TeamLight {
  return { s, since: isoTime(since), text }
}

/** From the bucket that contains `since`. */
function sumSince(buckets: readonly TeamBucket[], since: number): Omit<TeamBucket, 'start' | 'cost'> {
  const first = Math.floor(since / bucketMs) * bucketMs
  let [calls, refused, refusedByEvent] = [0, 0, 0]
  for (const bucket of buckets) {
    if (bucket.start < first) continue
    calls += bucket.calls
    refused += bucket.refused
    refusedByEvent += bucket.refusedByEvent
  }
  return { calls, refused, refusedByEvent }
}

function drawSpark(buckets: readonly TeamBucket[], now: number): number[] {
  const first = Math.floor(now / sparkMs) - sparkSteps + 1
  const spark = Array.from({ length: sparkSteps }, () => 0)
  for (const { start, cost } of buckets) {
    const step = Math.floor(start / sparkMs) - first
    if (step >= 0 && step < sparkSteps) spark[step] = (spark[step] ?? 0) + cost
  }
  return spark
}
