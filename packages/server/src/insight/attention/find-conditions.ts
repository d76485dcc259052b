// Decides what needs an organiser now: pure rules over figures that others gather. The console's list and the webhooks use it.
import { formatUsd, type NanoDollars } from '../../ledger/money.ts'
import { judgeBudget, percentOf, roundToCent } from './budget-share.ts'
import { type Condition, count, type Found, type Surroundings, showTime } from './condition.ts'
import { findTeamConditions, type TeamFacts } from './find-team-conditions.ts'

export type UpstreamFacts = {
  readonly upstream: string
  /** Since when (Unix ms) the last call at each look has failed, and with which code; null if it has not. */
  readonly failing: { readonly since: number; readonly code: string } | null
  /** In the last five minutes. */
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
  /** For all teams; null if the event has no cap. */
  readonly event: { readonly spent: NanoDollars; readonly cap: NanoDollars } | null
  /** Forecast of what all teams will have spent at the end of the current phase (Unix ms), at their pace; null if it is too early. */
  readonly forecast: { readonly spent: NanoDollars; readonly until: number } | null
  readonly upstreams: readonly UpstreamFacts[]
  /** Null if the system does not report it. */
  readonly disk: { readonly freeBytes: number; readonly warnBelowBytes: number } | null
  /** `reason`: why no charge can be written now, as a word of the health page; null while charges can be. */
  readonly ledger: { readonly reason: string | null; readonly unwritten: number }
  /** Null if nothing is asked for, or it is too early or too late to ask teams; `deadline` in Unix ms. */
  readonly submissions: {
    readonly deadline: number
    readonly missing: number
    readonly teams: number
    readonly isLateAccepted: boolean
  } | null
  /** Totals that did not match the sums of their rows in the last proof. */
  readonly wrongTotals: number
  /** Condition → Unix ms: when it was first found. */
  readonly knownSince: ReadonlyMap<string, number>
}

/** A single call may fail; an upstream without a success for this long is down. */
const failingMs = 60_000
/** One in twenty is more than retries hide; with fewer attempts a single failure would reach that share. */
const failedShare = 0.05
const fewestTries = 20

/** Critical ones first, then those that have lasted longest. */
export function findConditions(facts: AttentionFacts): Condition[] {
  const found = [
    ...findServerConditions(facts),
    ...findCapCondition(facts),
    ...findCapForecast(facts),
    ...findMissingSubmissions(facts),
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
  const ofServer = { subjects: [{ kind: 'server', id: 'server', name: 'the server' }] } as const
  if (wrongTotals > 0)
    found.push({
      ...ofServer,
      ...alone('totals_wrong', 'critical'),
      text: `${count(wrongTotals, 'total')} of the ledger ${wrongTotals === 1 ? 'does' : 'do'} not match the sum of the rows.`,
      action: { text: 'List the owners', command: 'fairgate spend verify' },
    })
  if (ledger.reason !== null)
    found.push({
      ...ofServer,
      ...alone('ledger_retrying', 'critical'),
      text: `Charges cannot be written (${ledger.reason}), so paid calls are refused; ${count(ledger.unwritten, 'charge')} wait${ledger.unwritten === 1 ? 's' : ''} to be written.`,
      action: null,
    })
  if (disk !== null && disk.freeBytes < disk.warnBelowBytes)
    found.push({
      ...ofServer,
      ...alone('disk_short', 'warning'),
      text: `The disk is filling up: ${mebibytes(disk.freeBytes)} MiB are free, less than ${mebibytes(disk.warnBelowBytes)}. When it is full, calls and log entries are refused.`,
      action: null,
    })
  return found
}

function findCapCondition({ event }: AttentionFacts): Found[] {
  if (event === null) return []
  const state = judgeBudget(event.spent, event.cap)
  if (state === null) return []
  const figures = `$${formatUsd(event.spent)} of $${formatUsd(event.cap)}`
  const isSpent = state === 'spent'
  return [
    {
      ...(isSpent ? alone('event_cap_spent', 'critical') : alone('event_cap_low', 'warning')),
      ...ofEvent,
      text: isSpent
        ? `The event's cap is reached (${figures}): paid calls of all teams are refused.`
        : `The event has spent ${percentOf(event.spent, event.cap)} % of its cap (${figures}).`,
    },
  ]
}

/** Once spend is close to the cap, that condition replaces this one. */
function findCapForecast(facts: AttentionFacts): Found[] {
  const { event, forecast } = facts
  if (event === null || forecast === null || judgeBudget(event.spent, event.cap) !== null) return []
  if (forecast.spent <= event.cap) return []
  return [
    {
      ...alone('event_cap_forecast', 'warning'),
      ...ofEvent,
      text: `At the current pace the event will have spent $${formatUsd(roundToCent(forecast.spent))} by ${showTime(forecast.until, facts)}, more than its cap ($${formatUsd(event.cap)}).`,
    },
  ]
}

/** One for all teams: with an hour left, many have not handed in, and that is no news of each. */
function findMissingSubmissions(facts: AttentionFacts): Found[] {
  const { submissions, now } = facts
  if (submissions === null || submissions.missing === 0) return []
  const { deadline, missing, teams, isLateAccepted } = submissions
  const when = showTime(deadline, facts)
  const due =
    now < deadline
      ? `The deadline is at ${when}.`
      : `The deadline was at ${when}${isLateAccepted ? ', and late submissions are accepted' : ''}.`
  return [
    {
      ...alone('submissions_missing', 'warning'),
      id: `submissions_missing:${deadline}`,
      subjects: ofEvent.subjects,
      text: `${missing} of ${count(teams, 'team')} ${missing === 1 ? 'has' : 'have'} not handed in. ${due}`,
      action: { text: 'List them, then announce', command: 'fairgate submission list --state missing' },
    },
  ]
}

/** There is only one of it at a time. */
function alone<Kind extends Found['kind']>(kind: Kind, severity: Found['severity']) {
  return { id: kind, kind, severity }
}

const ofEvent = {
  subjects: [{ kind: 'event', id: 'event', name: 'the event' }],
  action: { text: 'Raise the cap', command: 'fairgate event set --cap <usd>' },
} as const

/** Keys that are briefly busy are not news: they recover by themselves. */
function findUpstreamConditions(facts: UpstreamFacts, now: number): Found[] {
  const { upstream, keys, failing } = facts
  const out = keys.filter(({ fault }) => fault === 'refused' || fault === 'exhausted')
  if (out.length > 0 && out.length === keys.length)
    return reportUpstream(
      facts,
      'upstream_out',
      `Every key of the upstream ${upstream} is refused or used up: its models cannot be called.`,
      replaceKeys,
    )
  if (failing !== null && now - failing.since >= failingMs)
    return reportUpstream(
      facts,
      'upstream_out',
      `Calls to the upstream ${upstream} are failing (${failing.code}).`,
    )
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

function findFailedTries(facts: UpstreamFacts): Found[] {
  const { tries, failed } = facts.recentTries
  if (tries < fewestTries || failed <= failedShare * tries) return []
  return reportUpstream(
    facts,
    'upstream_errors',
    `${percentOf(failed, tries)} % of the attempts at the upstream ${facts.upstream} have failed in the last five minutes.`,
  )
}

function reportUpstream(
  { upstream }: UpstreamFacts,
  kind: 'upstream_out' | 'upstream_errors',
  text: string,
  action: Found['action'] = null,
): Found[] {
  const severity = kind === 'upstream_out' ? 'critical' : 'warning'
  const subjects = [{ kind: 'upstream' as const, id: upstream, name: upstream }]
  return [{ id: `${kind}:${upstream}`, kind, severity, subjects, text, action }]
}

const replaceKeys = { text: 'Replace the key, then reload the keys', command: 'fairgate catalog reload' }

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 ** 2)
}
