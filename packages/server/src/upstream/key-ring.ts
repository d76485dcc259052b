// The keys of one upstream, used in turn. A key that is refused or used up rests, ever longer, and is then tried again; meanwhile others
// serve. It rests for the team that was rejected, and for all once a second team is: a team can provoke refusals, but only its own.
import { createHash } from 'node:crypto'
import type { World } from '../world/world.ts'

export type UpstreamKey = {
  /** Names the key in the store; nothing can be learned from it. */
  readonly id: string
  readonly secret: string
}

/**
 * Why an upstream rejected a key, before any work. `refused`: it does not know the key, or has blocked it. `exhausted`: its daily
 * quota or its credit is used up. `busy`: too many calls at the moment.
 */
export type KeyFault = 'refused' | 'exhausted' | 'busy'

export type KeyFailure = {
  readonly fault: KeyFault
  /** The requested wait, in ms; null if the upstream named none. */
  readonly askedDelayMs: number | null
  /** The upstream's message, without the key. */
  readonly cause: string | null
  /** The upstream said that the key itself is not valid, which no request can provoke. */
  readonly isKeyInvalid: boolean
}

/** The calling team; null for the organisers' own checks, which are believed at once. */
export type Asker = string | null

/** A key starts to rest, or is back. A key that fails its trial goes on resting: that is no news. */
export type KeyNews = {
  readonly id: string
  readonly key: string | null
  /** The team that it rests for; null if it rests for all. */
  readonly team: string | null
} & (
  | {
      readonly state: 'resting'
      readonly fault: KeyFault
      readonly cause: string | null
      readonly restMs: number
    }
  | { readonly state: 'back'; readonly fault: KeyFault; readonly restedMs: number }
)

/** State for all teams: the state for a single one is in the log. */
export type KeyHealth = {
  readonly id: string
  /** The last four characters; null if four would be much of the key. */
  readonly key: string | null
  readonly fault: KeyFault | null
  /** Until the next trial; null for a key that does not rest. */
  readonly restMs: number | null
}

export type KeyRingDependencies = Pick<World, 'clock' | 'random'> & {
  readonly report?: (news: KeyNews) => void
}

type Rest = {
  readonly fault: KeyFault
  /** Unix ms. */
  readonly since: number
  /** Unix ms. */
  readonly until: number
  /** Failures in a row. */
  readonly failures: number
  /** Results of tries that started in an earlier epoch are older than this rest. */
  readonly epoch: number
  readonly isOnTrial: boolean
}

type RingKey = UpstreamKey & {
  /** For all teams. */
  rest: Rest | null
  /** For each team that was rejected, or tries a key that rests for all. The latest one comes last. */
  readonly rests: Map<Asker, Rest>
}

/**
 * The first pause of each kind; it doubles with each failed trial. Only a person can restore a revoked key; a daily quota comes back at
 * midnight, and a quota per minute within one.
 */
const firstPauseMs: Readonly<Record<KeyFault, number>> = { refused: 5000, exhausted: 60_000, busy: 1000 }
const longestPauseMs = 600_000
/** Pauses are up to a quarter longer, so that keys and processes that failed together do not come back together. */
const spread = 0.25
/** While a key is on trial, other calls use other keys; if the trial has no end by then, there is another one. */
const trialMs = 5000

/** A resting key is never a reason to refuse a call: if all rest, the one that is likeliest to serve is tried. */
export class KeyRing {
  readonly #dependencies: KeyRingDependencies
  #keys: readonly RingKey[] = []
  #turn = 0
  /** Keys that rest for anyone. */
  #resting = 0
  /** Increases with every failure of a key. A try remembers it, to show later how old its result is. */
  epoch = 0

  /** Throws if there is no key. */
  constructor(secrets: readonly string[], dependencies: KeyRingDependencies) {
    this.#dependencies = dependencies
    this.replace(secrets)
  }

  get size(): number {
    return this.#keys.length
  }

  /** One key after the other, without those that rest for the team. */
  next(team: Asker): UpstreamKey {
    if (this.#resting === 0) return this.#advance()
    const now = this.#dependencies.clock()
    for (let looked = 0; looked < this.#keys.length; looked += 1) {
      const key = this.#advance()
      const rest = findRest(key, team)
      if (rest === null) return key
      if (rest.until > now) continue
      startTrial(key, team, now)
      return key
    }
    return this.#findLikeliest(team)
  }

  /** True if `next` returns a key that does not rest, or no longer rests. */
  hasReady(team: Asker): boolean {
    if (this.#resting < this.#keys.length) return true
    const now = this.#dependencies.clock()
    return this.#keys.some(key => (findRest(key, team)?.until ?? 0) <= now)
  }

  /** The key by its id: operations and files belong to the key that made them. Undefined if it is no longer configured. */
  find(id: string): UpstreamKey | undefined {
    return this.#keys.find(key => key.id === id)
  }

  /** The upstream rejected the key. `epoch`: when the try started. */
  noteFailure({ id }: UpstreamKey, failure: KeyFailure, epoch: number, team: Asker): void {
    const key = this.#keys.find(known => known.id === id)
    if (key === undefined) return
    const own = key.rests.get(team)
    // Calls that run together fail together, and a call that used this key for lack of a better one proves nothing new.
    if (own === undefined ? key.rest !== null : epoch < own.epoch || !own.isOnTrial) return
    const now = this.#dependencies.clock()
    this.epoch += 1
    const rest = this.#lengthen(own, failure, now)
    const other = findOther(key, now, team)
    key.rests.delete(team)
    key.rests.set(team, rest)
    if (team === null || failure.isKeyInvalid) this.#restForAll(key, rest, failure.cause, now)
    // Teams share only the shorter of their rests.
    else if (other !== null)
      this.#restForAll(key, other.until < rest.until ? other : rest, failure.cause, now)
    else if (key.rest === null) {
      if (own?.fault !== rest.fault) this.#reportRest(key, rest, failure.cause, team, now)
    }
    // A failed trial is one team's report: another one may try at once.
    else key.rest = { ...key.rest, until: now }
    forgetOld(key, now)
    this.#countResting()
  }

  /** The upstream has served with the key. `epoch`: when the try started. */
  noteSuccess({ id }: UpstreamKey, epoch: number, team: Asker): void {
    if (this.#resting === 0) return
    const key = this.#keys.find(known => known.id === id)
    if (key === undefined) return
    const own = key.rests.get(team) ?? null
    const isOnTrial = own?.isOnTrial === true
    const isOver = (rest: Rest | null): rest is Rest =>
      // A quota may be that of one model: only the trial shows that the pause is over.
      rest !== null && epoch >= rest.epoch && (rest.fault === 'refused' || isOnTrial)
    if (isOver(key.rest)) {
      this.#reportBack(key, key.rest, null)
      key.rest = null
      key.rests.clear()
    } else if (isOver(own)) {
      if (key.rest === null) this.#reportBack(key, own, team)
      key.rests.delete(team)
    }
    forgetOld(key, this.#dependencies.clock())
    this.#countResting()
  }

  /**
   * Replaces these keys. One that stays keeps its rest. Returns the last four characters of added and removed keys. Throws if there is
   * no key.
   */
  replace(secrets: readonly string[]): KeyChange {
    const known = new Map(this.#keys.map(key => [key.secret, key]))
    const keys = [...new Set(secrets)].map(
      (secret): RingKey => known.get(secret) ?? { id: nameKey(secret), secret, rest: null, rests: new Map() },
    )
    if (keys.length === 0) throw new Error('No upstream key is configured.')
    const removed = this.#keys.filter(key => !keys.includes(key))
    const added = keys.filter(key => !known.has(key.secret))
    this.#keys = keys
    this.#turn = 0
    this.#countResting()
    return { added: added.map(lastFour), removed: removed.map(lastFour) }
  }

  /** In configured order. */
  describe(): KeyHealth[] {
    const now = this.#dependencies.clock()
    return this.#keys.map(key => ({
      id: key.id,
      key: lastFour(key),
      fault: key.rest?.fault ?? null,
      restMs: key.rest === null ? null : Math.max(0, key.rest.until - now),
    }))
  }

  #advance(): RingKey {
    const key = this.#keys[this.#turn]
    if (key === undefined) throw new Error('No upstream key is configured.')
    this.#turn = this.#turn + 1 < this.#keys.length ? this.#turn + 1 : 0
    return key
  }

  #countResting(): void {
    this.#resting = this.#keys.filter(({ rest, rests }) => rest !== null || rests.size > 0).length
  }

  #lengthen(before: Rest | undefined, { fault, askedDelayMs }: KeyFailure, now: number): Rest {
    const failures = before?.fault === fault ? before.failures + 1 : 1
    const grown = firstPauseMs[fault] * 2 ** (failures - 1)
    const asked = fault === 'refused' ? 0 : (askedDelayMs ?? 0)
    // The requested wait counts, except that a daily quota reports the delay of a quota per minute.
    const wanted = fault === 'busy' && asked > 0 ? asked : Math.max(asked, grown)
    const until = now + Math.min(wanted, longestPauseMs) * (1 + this.#dependencies.random() * spread)
    return { fault, since: before?.since ?? now, until, failures, epoch: this.epoch, isOnTrial: false }
  }

  #restForAll(key: RingKey, rest: Rest, cause: string | null, now: number): void {
    const before = key.rest
    key.rest = { ...rest, since: before?.since ?? now, epoch: this.epoch }
    if (before?.fault !== rest.fault) this.#reportRest(key, rest, cause, null, now)
  }

  #reportRest(key: RingKey, { fault, until }: Rest, cause: string | null, team: Asker, now: number): void {
    const which = { id: key.id, key: lastFour(key), team }
    this.#dependencies.report?.({ ...which, state: 'resting', fault, cause, restMs: until - now })
  }

  #reportBack(key: RingKey, { fault, since }: Rest, team: Asker): void {
    const restedMs = this.#dependencies.clock() - since
    this.#dependencies.report?.({ id: key.id, key: lastFour(key), team, state: 'back', fault, restedMs })
  }

  /** A used-up quota may be that of another model, so such a key comes before a refused one; otherwise the key with the earliest end of its rest. */
  #findLikeliest(team: Asker): RingKey {
    let likeliest = this.#advance()
    for (const key of this.#keys)
      if (isLikelier(findRest(key, team), findRest(likeliest, team))) likeliest = key
    return likeliest
  }
}

/** The later end of the rest for all and the rest for the team; null if it rests for neither. */
function findRest({ rest, rests }: RingKey, team: Asker): Rest | null {
  const own = rests.get(team) ?? null
  return own !== null && (rest === null || own.until > rest.until) ? own : rest
}

/** The rest of another team that ends last; null if no other team was rejected lately. */
function findOther({ rests }: RingKey, now: number, team: Asker): Rest | null {
  let longest: Rest | null = null
  for (const [other, rest] of rests) {
    const isCurrent = other !== team && !rest.isOnTrial && rest.until > now
    if (isCurrent && rest.until > (longest?.until ?? 0)) longest = rest
  }
  return longest
}

/** A team waits longer than the others for another trial, so that it cannot keep a key from them with trials that never end. */
function startTrial(key: RingKey, team: Asker, now: number): void {
  const { rest, rests } = key
  const tried = rest ?? rests.get(team)
  if (tried === undefined) return
  rests.set(team, { ...tried, until: now + (rest === null ? trialMs : 2 * trialMs), isOnTrial: true })
  if (rest !== null) key.rest = { ...rest, until: now + trialMs }
}

/** A team that does not call again leaves nothing behind. */
function forgetOld({ rests }: RingKey, now: number): void {
  for (const [team, { until }] of rests) {
    if (until + longestPauseMs > now) return
    rests.delete(team)
  }
}

/** The last four characters of keys; null if four would be much of one. */
export type KeyChange = {
  readonly added: readonly (string | null)[]
  readonly removed: readonly (string | null)[]
}

function isLikelier(rest: Rest | null, other: Rest | null): boolean {
  if (rest === null || other === null) return other !== null
  if ((rest.fault === 'refused') !== (other.fault === 'refused')) return other.fault === 'refused'
  return rest.until < other.until
}

function nameKey(secret: string): string {
  return createHash('sha256').update(`fairgate upstream key ${secret}`).digest('hex').slice(0, 16)
}

/** As operators see a key; null if four characters would be much of it. */
export function lastFour({ secret }: Pick<UpstreamKey, 'secret'>): string | null {
  return secret.length < 12 ? null : `…${secret.slice(-4)}`
}
