// Decides what needs an organiser now: pure rules over figures that others gather. The list of the console and the webhooks rest on it.
import { formatUsd, type NanoDollars } from '../../ledger/money.ts'
import { judgeBudget, percentOf, roundToCent } from './budget-share.ts'
import { type Condition, count, type Found, type Subject, type Surroundings, showTime } from './condition.ts'
import { findTeamConditions, type TeamFacts } from './find-team-conditions.ts'

export type UpstreamFacts = {
  readonly upstream: string
  /** Since when (Unix ms) the last call of each look has failed, and with which code; null when one has not. */
  readonly failing: { readonly since: number; readonly code: string } | null
  /** Of the last five minutes. */
  readonly recentTries: { readonly tries: number; readonly failed: number }
  /** `name`: the last characters of the key, or null. `fault` is null for a key that works. */
  readonly keys: readonly {
    readonly id: string
    readonly name: string | null
    readonly fault: 'refused' | 'exhausted' | 'busy' | null
  }[]
}

export type AttentionFacts = Surroundings & {
  readonly teams: readonly TeamFacts[]
  /** Over all teams; null where the event has no cap. */
  readonly event: { readonly spent: NanoDollars; readonly cap: NanoDollars } | null
  /** What all teams will have spent when the present phase ends (Unix ms), at their pace; null where it is too early to say. */
  readonly forecast: { readonly spent: NanoDollars; readonly until: number } | null
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

/** A call may fail by itself; an upstream of which none succeeds for so long is out. */
const failingMs = 60_000
/** One in twenty is more than retries hide; of fewer tries a single failure would be as much. */
const failedShare = 0.05
const fewestTries = 20

/** Critical ones first, then those that have lasted longest. */
export function findConditions(facts: AttentionFacts): Condition[] {
  const found = [
    ...findServerConditions(facts),
    ...findCapCondition(facts),
    ...findCapForecast(facts),
    ...facts.upstreams.flatMap(upstream => findUpstreamConditions(upstream, facts.now)),
    ...facts.teams.flatMap(team => findTeamConditions(team, facts)),
  ]
  return found
    .map(condition => ({ ...condition, since: facts.knownSince.get(condition.id) ?? facts.now }))
    .sort(
      (one, other) => rankOf(one) - rankOf(other) || one.since - other.since || (one.id < other.id ? -1 : 1),
    )
}

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
function findCapForecast(facts: AttentionFacts): Found[] {
  const { event, forecast } = facts
  if (event === null || forecast === null || judgeBudget(event.spent, event.cap) !== null) return []
  if (forecast.spent <= event.cap) return []
  return [
    {
      id: 'event_cap_forecast',
      kind: 'event_cap_forecast',
      severity: 'warning',
      subjects: [{ kind: 'event', id: 'event', name: 'the event' }],
      text: `At the present pace the event will have spent $${formatUsd(roundToCent(forecast.spent))} by ${showTime(forecast.until, facts)}, more than its cap ($${formatUsd(event.cap)}).`,
      action: { text: 'Raise the cap', command: 'fairgate event set --cap <usd>' },
    },
  ]
}

/** Keys that are busy for a moment are no news: they come back by themselves. */
function findUpstreamConditions(facts: UpstreamFacts, now: number): Found[] {
  const { upstream, keys, failing } = facts
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
  const keysOut = out.map(
    ({ id, name, fault }): Found => ({
      id: `upstream_key_out:${upstream}:${id}`,
      kind: 'upstream_key_out',
      severity: 'warning',
      subjects: [{ kind: 'upstream_key', id, name: name ?? id }],
      text: `The key ${name === null ? id : `…${name}`} of the upstream ${upstream} is ${fault === 'refused' ? 'refused' : 'used up'}; ${count(keys.length - out.length, 'other key')} still serve${keys.length - out.length === 1 ? 's' : ''}.`,
      action: replaceKeys,
    }),
  )
  return [...keysOut, ...findFailedTries(facts)]
}

function findFailedTries({ upstream, recentTries: { tries, failed } }: UpstreamFacts): Found[] {
  if (tries < fewestTries || failed <= failedShare * tries) return []
  return [
    {
      id: `upstream_errors:${upstream}`,
      kind: 'upstream_errors',
      severity: 'warning',
      subjects: [{ kind: 'upstream', id: upstream, name: upstream }],
      text: `${percentOf(failed, tries)} % of the tries at the upstream ${upstream} have failed in the last five minutes.`,
      action: null,
    },
  ]
}

const replaceKeys = { text: 'Replace the key, then read the keys again', command: 'fairgate catalog reload' }

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 ** 2)
}
