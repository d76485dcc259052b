// A slow and obvious bookkeeper: remembers every call and counts all of them again for each question.
import type { LimitLevel, RateSnapshot, Refusal, WindowSnapshot } from '../../../ledger/admission.ts'
import type { BudgetLevel } from '../../../ledger/decide-budget.ts'
import type { EventLimits } from '../../../ledger/event-limits.ts'
import { nanoDollars } from '../../../ledger/money.ts'
import { decidePlainBudget, type PlainGrant } from '../../../ledger/testing/plain-budget.ts'
import { plainPeriod } from '../../../ledger/testing/plain-period.ts'
import type { OwnerTotal } from '../../memory/create-memory-limits.ts'
import type { OwnerRef } from '../../port.ts'
import type { BuiltRequest, Parties } from '../build-parties.ts'

/** Tokens that count from `moment` on in the window of one level; `moment` is also what names their second. */
type TokenEvent = { readonly windowId: string; readonly moment: number; tokens: number }

type RequestEvent = { readonly windowId: string; readonly moment: number }

type Charge = {
  readonly callId: string
  readonly owner: OwnerRef
  readonly ownerId: string
  readonly period: number
  readonly amount: number
  state: 'held' | 'charged' | 'gone'
  cost: number
}

type Running = { readonly callId: string; readonly keyHash: string; readonly amount: number }

export type OracleGrant = PlainGrant & {
  readonly periods: { readonly team: number; readonly key: number }
  readonly admittedAt: number
}

export type OracleDecision =
  | { readonly admitted: true; readonly grant: OracleGrant }
  | { readonly admitted: false; readonly refusal: Refusal }

type Level = {
  readonly level: LimitLevel
  readonly windowId: string
  readonly requests: number | null
  readonly tokens: number | null
}

const minuteMs = 60_000
const never = Number.POSITIVE_INFINITY

export function createOracle() {
  let requestEvents: RequestEvent[] = []
  let tokenEvents: TokenEvent[] = []
  let running: Running[] = []
  /** What each running call reserved, by call. */
  let reserved = new Map<string, TokenEvent[]>()
  const charges: Charge[] = []
  /** Start of the period an owner was last seen in. */
  let seen = new Map<string, number>()
  let latest = Number.NEGATIVE_INFINITY
  let written: { requestEvents: RequestEvent[]; tokenEvents: TokenEvent[] } = {
    requestEvents: [],
    tokenEvents: [],
  }

  /** A clock that steps back counts as standing still. */
  const look = (clock: number): number => {
    latest = Math.max(latest, clock)
    return latest
  }

  const requestsAt = (windowId: string, now: number): RequestEvent[] =>
    requestEvents.filter(event => event.windowId === windowId && event.moment + minuteMs > now)

  /** Tokens by second: all of a second count until the latest of them is 60 s old. */
  const secondsAt = (windowId: string, now: number): { expires: number; tokens: number }[] => {
    const seconds = new Map<number, { expires: number; tokens: number }>()
    for (const event of tokenEvents) {
      if (event.windowId !== windowId) continue
      const second = Math.floor(event.moment / 1000)
      const known = seconds.get(second)
      const expires = Math.max(known?.expires ?? 0, event.moment + minuteMs)
      seconds.set(second, { expires, tokens: (known?.tokens ?? 0) + event.tokens })
    }
    return [...seconds.values()].filter(({ expires }) => expires > now)
  }

  const tokensAt = (windowId: string, now: number): number =>
    secondsAt(windowId, now).reduce((sum, { tokens }) => sum + tokens, 0)

  const refuseRequests = ({ level, windowId, requests: limit }: Level, now: number): Refusal | null => {
    if (limit === null) return null
    const counted = requestsAt(windowId, now)
    if (counted.length + 1 <= limit) return null
    const free = counted
      .map(event => event.moment + minuteMs)
      .find(moment => requestsAt(windowId, moment).length + 1 <= limit)
    return refusalOf('rpm_exceeded', level, limit, counted.length, limit === 0 ? null : (free ?? null))
  }

  const refuseTokens = (
    { level, windowId, tokens: limit }: Level,
    demand: BuiltRequest['tokens'],
    now: number,
  ): Refusal | null => {
    if (limit === null) return null
    const used = tokensAt(windowId, now)
    const wanted = reservationOf(demand, limit)
    if (used + wanted <= limit) return null
    const free = secondsAt(windowId, now)
      .map(({ expires }) => expires)
      .find(moment => tokensAt(windowId, moment) + wanted <= limit)
    return refusalOf('tpm_exceeded', level, limit, used, free ?? null)
  }

  const refuseRates = (request: BuiltRequest, now: number): Refusal | null => {
    const levels = levelsOf(request)
    const byRequests = request.countsRequest ? levels.flatMap(level => refuseRequests(level, now) ?? []) : []
    const takesTokens = request.tokens.input + request.tokens.output > 0
    const byTokens = takesTokens
      ? levels.flatMap(level => refuseTokens(level, request.tokens, now) ?? [])
      : []
    const [named] = byRequests.length > 0 ? latestFirst(byRequests) : latestFirst(byTokens)
    if (named === undefined) return null
    const frees = Math.max(...[...byRequests, ...byTokens].map(({ resetAt }) => resetAt ?? never))
    const wait = frees === never ? null : Math.max(1, Math.ceil((frees - now) / 1000))
    return { ...named, retryAfterSeconds: wait }
  }

  /** Periods never run backwards: an owner seen in a later one stays there. */
  const periodFor = (
    ownerId: string,
    rules: { budgetDuration: string | null; budgetAnchor: number },
    since: number,
  ) => {
    const known = Math.max(seen.get(ownerId) ?? Number.NEGATIVE_INFINITY, since)
    const { start, end } = plainPeriod(rules.budgetDuration, rules.budgetAnchor, Math.max(latest, known))
    return { start: Math.max(start, known), end }
  }

  const periodsFor = ({ team, key, event }: Parties) => {
    const since = event?.since ?? Number.NEGATIVE_INFINITY
    return {
      team: periodFor(`team:${team.teamId}`, team, since),
      key: periodFor(`key:${key.keyHash}`, key, since),
    }
  }

  const sumOf = (ownerId: string, period: number) => {
    let [spent, held] = [0, 0]
    for (const charge of charges) {
      if (charge.ownerId !== ownerId || charge.period !== period) continue
      if (charge.state === 'held') held += charge.amount
      if (charge.state === 'charged') spent += charge.cost
    }
    return { spent, held: nanoDollars(held) }
  }

  /** As it is shown: zero if more was returned than spent. */
  const moneyOf = (ownerId: string, period: number) => {
    const { spent, held } = sumOf(ownerId, period)
    return { spent: nanoDollars(Math.max(0, spent)), held }
  }

  const budgetLevels = (parties: Parties): BudgetLevel[] => {
    const { team, key, model, event = null } = parties
    const periods = periodsFor(parties)
    const granted = team.granted?.periodStart === periods.team.start ? team.granted.amount : 0
    const ofTeam = event?.teamBudget ?? team.maxBudget
    const cap = model === null || event === null ? null : event.cap
    const modelMaximum = model === null ? null : (key.modelMaxBudget.get(model.id) ?? null)
    const budgets = [
      {
        level: 'team',
        maximum: ofTeam === null ? null : nanoDollars(ofTeam + granted),
        id: `team:${team.teamId}`,
        period: periods.team,
      },
      { level: 'key', maximum: key.maxBudget, id: `key:${key.keyHash}`, period: periods.key },
      { level: 'key_model', maximum: modelMaximum, id: keyModelId(parties), period: periods.key },
      { level: 'event', maximum: cap, id: 'event', period: { start: 0, end: null } },
    ] as const
    return budgets.flatMap(({ level, maximum, id, period }) => {
      if (maximum === null) return []
      const maximumAfter = level === 'team' && ofTeam !== null ? ofTeam : maximum
      return [
        { level, maximum, maximumAfter, ...moneyOf(id, period.start), endsAt: endOf(period.end, event) },
      ]
    })
  }

  const runningOf = (keyHash: string): number => running.filter(call => call.keyHash === keyHash).length

  /** Changes nothing except the known clock. */
  const decide = (request: BuiltRequest, clock: number): OracleDecision => {
    const now = look(clock)
    const used = runningOf(request.key.keyHash)
    const slots = request.key.maxParallelRequests
    if (used + 1 > slots) {
      const slot = refusalOf('parallel_exceeded', 'key', slots, used, null)
      return { admitted: false, refusal: { ...slot, retryAfterSeconds: 1 } }
    }
    const rates = refuseRates(request, now)
    if (rates !== null) return { admitted: false, refusal: rates }
    const periods = periodsFor(request)
    seen.set(`team:${request.team.teamId}`, periods.team.start)
    seen.set(`key:${request.key.keyHash}`, periods.key.start)
    const budget = decidePlainBudget(budgetLevels(request), request.estimate, now)
    if (!budget.admitted) return budget
    const starts = { team: periods.team.start, key: periods.key.start }
    return { admitted: true, grant: { ...budget.grant, periods: starts, admittedAt: now } }
  }

  /** Records a call that was decided at the same moment. */
  const record = (request: BuiltRequest, grant: OracleGrant): void => {
    const { callId, team, key, model } = request
    const events: TokenEvent[] = []
    for (const level of levelsOf(request)) {
      const moment = latest
      const { windowId } = level
      if (request.countsRequest && level.requests !== null) requestEvents.push({ windowId, moment })
      const tokens = level.tokens === null ? 0 : reservationOf(request.tokens, level.tokens)
      const takesTokens = request.tokens.input + request.tokens.output > 0
      if (level.tokens !== null && takesTokens) events.push({ windowId, moment, tokens })
    }
    tokenEvents.push(...events)
    reserved.set(callId, events)
    running.push({ callId, keyHash: key.keyHash, amount: grant.amount })
    const add = (ownerId: string, owner: OwnerRef, period: number, amount = grant.amount) =>
      charges.push({ callId, ownerId, owner, period, amount, state: 'held', cost: 0 })
    // Without a cap nothing is held of the event, but what it costs counts.
    add('event', { kind: 'event' }, 0, (request.event?.cap ?? null) === null ? 0 : grant.amount)
    add(`team:${team.teamId}`, { kind: 'team', teamId: team.teamId }, grant.periods.team)
    const { teamId } = team
    add(`key:${key.keyHash}`, { kind: 'key', teamId, keyHash: key.keyHash }, grant.periods.key)
    if (model === null) return
    const owner: OwnerRef = { kind: 'key_model', teamId, keyHash: key.keyHash, modelId: model.id }
    add(keyModelId(request), owner, grant.periods.key)
  }

  /** Tokens that a call has used beyond its reservations count from the moment they are known. */
  const exceed = (callId: string, used: number, clock: number): void => {
    const now = look(clock)
    for (const event of reserved.get(callId) ?? []) {
      if (used > event.tokens)
        tokenEvents.push({ windowId: event.windowId, moment: now, tokens: used - event.tokens })
    }
  }

  /** `actual` is null for a release. */
  const end = (callId: string, actual: { cost: number; tokens: number } | null, clock: number): void => {
    running = running.filter(call => call.callId !== callId)
    for (const charge of charges) {
      if (charge.callId !== callId) continue
      charge.state = actual === null ? 'gone' : 'charged'
      charge.cost = actual?.cost ?? 0
    }
    const used = actual?.tokens ?? 0
    look(clock)
    for (const event of reserved.get(callId) ?? []) event.tokens = Math.min(event.tokens, used)
    reserved.delete(callId)
  }

  /** The totals that the database would have: the charges of each owner's latest period that has one. */
  const storedTotals = (): OwnerTotal[] => {
    const totals = new Map<string, OwnerTotal>()
    for (const { state, ownerId, owner, period } of charges) {
      if (state !== 'charged' || period < (totals.get(ownerId)?.periodStart ?? period)) continue
      totals.set(ownerId, { owner, periodStart: period, spent: sumOf(ownerId, period).spent })
    }
    return [...totals.values()]
  }

  /** Everything that still counts is on disk, with one more row; without a row nothing had changed. */
  const write = (clock: number, hasRow: boolean): void => {
    const now = look(clock)
    if (!hasRow) return
    const counts = ({ moment }: { readonly moment: number }) => moment + minuteMs > now
    written = {
      requestEvents: requestEvents.filter(counts),
      tokenEvents: bySecond(tokenEvents).filter(counts),
    }
  }

  /**
   * The process ends: slots and holds are gone, charges are known again, and windows hold what was written. A clock that is behind the last
   * row counts from there: no time has passed.
   */
  const restart = (clock: number, lastRowAt: number): OwnerTotal[] => {
    const behind = Math.max(0, lastRowAt - clock)
    requestEvents = written.requestEvents.map(event => ({ ...event, moment: event.moment - behind }))
    tokenEvents = written.tokenEvents.map(event => ({ ...event, moment: event.moment - behind }))
    running = []
    reserved = new Map()
    for (const charge of charges) if (charge.state === 'held') charge.state = 'gone'
    latest = Number.NEGATIVE_INFINITY
    const totals = storedTotals()
    seen = new Map(totals.map(({ owner, periodStart }) => [ownerIdOf(owner), periodStart]))
    look(clock)
    return totals
  }

  /**
   * Calls of a process with shared state that is dead or considered dead: slots and holds are gone, what they reserved stays in the
   * windows. If one of them is still charged, the charge counts.
   */
  const abandon = (callIds: ReadonlySet<string>): OwnerTotal[] => {
    running = running.filter(({ callId }) => !callIds.has(callId))
    for (const charge of charges)
      if (charge.state === 'held' && callIds.has(charge.callId)) charge.state = 'gone'
    return storedTotals()
  }

  /** Like a charge that has always been there. */
  const adjust = (callId: string, owners: readonly (readonly [OwnerRef, number])[], cost: number): void => {
    for (const [owner, period] of owners) {
      const ownerId = ownerIdOf(owner)
      charges.push({ callId, ownerId, owner, period, amount: 0, state: 'charged', cost })
      // An owner that is corrected in a period has entered it.
      seen.set(ownerId, Math.max(seen.get(ownerId) ?? period, period))
    }
  }

  const refund = (callId: string): void => {
    for (const charge of charges) if (charge.callId === callId) charge.cost = 0
  }

  const snapshot = (parties: Parties, clock: number): RateSnapshot => {
    const now = look(clock)
    const levels = levelsOf(parties)
    const requests = levels.flatMap(({ windowId, requests: limit }) =>
      limit === null ? [] : [windowSnapshot(limit, requestsAt(windowId, now).map(toSingle), now)],
    )
    const tokens = levels.flatMap(({ windowId, tokens: limit }) =>
      limit === null ? [] : [windowSnapshot(limit, secondsAt(windowId, now), now)],
    )
    return { requests: tightestOf(requests), tokens: tightestOf(tokens) }
  }

  /** Totals of these calls. */
  const totalsOf = (callIds: ReadonlySet<string>) => {
    const found = running.filter(({ callId }) => callIds.has(callId))
    return {
      heldNanoDollars: found.reduce((sum, { amount }) => sum + amount, 0),
      holds: found.filter(({ amount }) => amount > 0).length,
      slots: found.length,
    }
  }

  return Object.freeze({
    decide,
    record,
    exceed,
    end,
    write,
    restart,
    abandon,
    adjust,
    refund,
    snapshot,
    totalsOf,
    runningOf,
    periodsFor,
    moneyOf,
    levelsOf,
    budgetLevels,
    requestsAt: (windowId: string) => requestsAt(windowId, latest).length,
    now: () => latest,
  })
}

/** Unknown if a phase ends before. */
function endOf(end: number | null, event: EventLimits | null): number | null {
  const until = event?.until ?? never
  return end === null || end >= until ? null : end
}

/** As written to disk: all tokens of a second, at its latest moment. */
function bySecond(events: readonly TokenEvent[]): TokenEvent[] {
  const seconds = Map.groupBy(events, ({ windowId, moment }) => `${windowId} ${Math.floor(moment / 1000)}`)
  return [...seconds.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [
          {
            windowId: first.windowId,
            moment: Math.max(first.moment, ...others.map(({ moment }) => moment)),
            tokens: others.reduce((sum, { tokens }) => sum + tokens, first.tokens),
          },
        ],
  )
}

function keyModelId({ key, model }: Parties): string {
  return `key_model:${key.keyHash}:${model?.id ?? ''}`
}

export function ownerIdOf(owner: OwnerRef): string {
  if (owner.kind === 'event') return 'event'
  if (owner.kind === 'team') return `team:${owner.teamId}`
  return owner.kind === 'key' ? `key:${owner.keyHash}` : `key_model:${owner.keyHash}:${owner.modelId}`
}

/** Every level of the call with its limits, in the order in which ties are named. */
function levelsOf({ team, key, model }: Parties): Level[] {
  const teamLevels: Level[] = [
    { level: 'team', windowId: `team ${team.teamId}`, requests: team.rpmLimit, tokens: team.tpmLimit },
    { level: 'key', windowId: `key ${key.keyHash}`, requests: key.rpmLimit, tokens: key.tpmLimit },
  ]
  if (model === null) return teamLevels
  const ofModel = (level: LimitLevel, windowId: string, owner: typeof team | typeof key): Level => ({
    level,
    windowId: `${windowId} ${model.id}`,
    requests: owner.modelRpmLimit.get(model.id) ?? null,
    tokens: owner.modelTpmLimit.get(model.id) ?? null,
  })
  return [
    ...teamLevels,
    {
      level: 'service_model',
      windowId: `model ${model.id}`,
      requests: model.rpmLimit,
      tokens: model.tpmLimit,
    },
    ofModel('team_model', `team ${team.teamId}`, team),
    ofModel('key_model', `key ${key.keyHash}`, key),
  ]
}

/** Input and output; only the limit if that is less and the input alone fits. */
function reservationOf({ input, output }: BuiltRequest['tokens'], limit: number): number {
  if (input > limit) return input + output
  return Math.min(input + output, limit)
}

function refusalOf(
  code: Refusal['code'],
  level: LimitLevel,
  limit: number,
  used: number,
  resetAt: number | null,
): Refusal {
  return { code, level, limit, used, held: 0, resetAt, retryAfterSeconds: null }
}

function latestFirst(refusals: readonly Refusal[]): Refusal[] {
  return refusals.toSorted((left, right) => {
    const [leftEnd, rightEnd] = [left.resetAt ?? never, right.resetAt ?? never]
    return leftEnd === rightEnd ? 0 : rightEnd > leftEnd ? 1 : -1
  })
}

function toSingle({ moment }: RequestEvent) {
  return { expires: moment + minuteMs, tokens: 1 }
}

function windowSnapshot(
  limit: number,
  counted: readonly { readonly expires: number; readonly tokens: number }[],
  now: number,
): WindowSnapshot {
  const used = counted.reduce((sum, { tokens }) => sum + tokens, 0)
  const last = Math.max(now, ...counted.filter(({ tokens }) => tokens > 0).map(({ expires }) => expires))
  return { limit, remaining: Math.max(0, limit - used), resetMs: last - now }
}

function tightestOf(snapshots: readonly WindowSnapshot[]): WindowSnapshot | null {
  const [tightest] = snapshots.toSorted((left, right) => left.remaining - right.remaining)
  return tightest ?? null
}
