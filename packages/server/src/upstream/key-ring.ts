// The keys of one upstream: taken in turn. One that is refused or used up rests, ever longer, and is tried again; meanwhile others serve.
import { createHash } from 'node:crypto'

export type UpstreamKey = {
  /** Names the key in the store; nothing can be learned from it. */
  readonly id: string
  readonly secret: string
}

/**
 * Why an upstream turned a key down, before any work. `refused`: it does not know the key, or has blocked it. `exhausted`: its quota
 * of the day or its credit is used up. `busy`: too many calls for the moment.
 */
export type KeyFault = 'refused' | 'exhausted' | 'busy'

export type KeyFailure = {
  readonly fault: KeyFault
  /** What the upstream asked to wait, in ms; null when it did not say. */
  readonly askedDelayMs: number | null
  /** What the upstream said, without the key. */
  readonly cause: string | null
}

/** A key begins to rest, or is back. A key that fails its trial goes on resting: that is no news. */
export type KeyNews = { readonly id: string; readonly key: string | null } & (
  | {
      readonly state: 'resting'
      readonly fault: KeyFault
      readonly cause: string | null
      readonly restMs: number
    }
  | { readonly state: 'back'; readonly fault: KeyFault; readonly restedMs: number }
)

export type KeyHealth = {
  readonly id: string
  /** The last four characters; null where four would be much of the key. */
  readonly key: string | null
  readonly fault: KeyFault | null
  /** Until the next trial; null for a key that does not rest. */
  readonly restMs: number | null
}

export type KeyRingDependencies = {
  /** Unix ms. */
  readonly clock: () => number
  /** In [0, 1). */
  readonly random: () => number
  readonly report?: (news: KeyNews) => void
}

type Rest = {
  readonly fault: KeyFault
  /** Unix ms. */
  readonly since: number
  until: number
  /** Failures in a row. */
  failures: number
  /** What a try says that began in an earlier epoch is older than this rest. */
  epoch: number
  isOnTrial: boolean
}

type RingKey = UpstreamKey & { rest: Rest | null }

/**
 * The first pause of each kind; it doubles with each failed trial. A revoked key comes back by a person's hand, a quota of the day at
 * midnight, and a quota per minute within one.
 */
const firstPauseMs: Readonly<Record<KeyFault, number>> = { refused: 5000, exhausted: 60_000, busy: 1000 }
const longestPauseMs = 600_000
/** Pauses are up to a quarter longer, so that keys and processes that failed together do not come back together. */
const spread = 0.25
/** While a key is on trial, other calls take other keys; if the trial has no end by then, there is another one. */
const trialMs = 5000

/** A resting key is never a reason to refuse a call: when all rest, the one that is likeliest to serve is tried. */
export class KeyRing {
  readonly #dependencies: KeyRingDependencies
  #keys: readonly RingKey[] = []
  #turn = 0
  #resting = 0
  #epoch = 0

  /** Throws when there is no key. */
  constructor(secrets: readonly string[], dependencies: KeyRingDependencies) {
    this.#dependencies = dependencies
    this.replace(secrets)
  }

  get size(): number {
    return this.#keys.length
  }

  /** Moves on with every failure of a key: whoever starts a try keeps it, to say later how old its news are. */
  get epoch(): number {
    return this.#epoch
  }

  /** One key after the other, without those that rest. */
  next(): UpstreamKey {
    if (this.#resting === 0) return this.#advance()
    const now = this.#dependencies.clock()
    for (let looked = 0; looked < this.#keys.length; looked += 1) {
      const key = this.#advance()
      if (key.rest === null) return key
      if (key.rest.until > now) continue
      key.rest.until = now + trialMs
      key.rest.isOnTrial = true
      return key
    }
    return this.#findLikeliest()
  }

  /** True when `next` gives a key that does not rest, or whose rest is over. */
  hasReady(): boolean {
    if (this.#resting < this.#keys.length) return true
    const now = this.#dependencies.clock()
    return this.#keys.some(({ rest }) => rest === null || rest.until <= now)
  }

  /** The key by its id: operations and files belong to the key that made them. Undefined when it is configured no longer. */
  find(id: string): UpstreamKey | undefined {
    return this.#keys.find(key => key.id === id)
  }

  /** The upstream turned the key down. `epoch`: when the try began. */
  noteFailure({ id }: UpstreamKey, { fault, askedDelayMs, cause }: KeyFailure, epoch: number): void {
    const key = this.#keys.find(known => known.id === id)
    if (key === undefined) return
    const { rest } = key
    // Calls that were under way together fail together, and one that was made for want of a better key proves nothing new.
    if (rest !== null && (epoch < rest.epoch || !rest.isOnTrial)) return
    const { clock, random, report } = this.#dependencies
    const now = clock()
    const failures = rest?.fault === fault ? rest.failures + 1 : 1
    const grown = firstPauseMs[fault] * 2 ** (failures - 1)
    const asked = fault === 'refused' ? 0 : (askedDelayMs ?? 0)
    // What is asked counts, except that a quota of the day comes with the delay of a quota per minute.
    const wanted = fault === 'busy' && asked > 0 ? asked : Math.max(asked, grown)
    const restMs = Math.min(wanted, longestPauseMs) * (1 + random() * spread)
    this.#epoch += 1
    key.rest = {
      fault,
      since: rest?.since ?? now,
      until: now + restMs,
      failures,
      epoch: this.#epoch,
      isOnTrial: false,
    }
    if (rest === null) this.#resting += 1
    if (rest?.fault !== fault) report?.({ id, key: lastFour(key), state: 'resting', fault, cause, restMs })
  }

  /** The upstream has served with the key. `epoch`: when the try began. */
  noteSuccess({ id }: UpstreamKey, epoch: number): void {
    if (this.#resting === 0) return
    const key = this.#keys.find(known => known.id === id)
    const rest = key?.rest ?? null
    if (key === undefined || rest === null || epoch < rest.epoch) return
    // A quota may be that of one model: only the trial shows that the pause is over.
    if (rest.fault !== 'refused' && !rest.isOnTrial) return
    key.rest = null
    this.#resting -= 1
    const restedMs = this.#dependencies.clock() - rest.since
    this.#dependencies.report?.({ id, key: lastFour(key), state: 'back', fault: rest.fault, restedMs })
  }

  /**
   * Puts other keys in place of these. One that stays keeps its rest. Answers the last four characters of those that came and went.
   * Throws when there is no key.
   */
  replace(secrets: readonly string[]): KeyChange {
    const known = new Map(this.#keys.map(key => [key.secret, key]))
    const keys = [...new Set(secrets)].map(
      (secret): RingKey => known.get(secret) ?? { id: nameKey(secret), secret, rest: null },
    )
    if (keys.length === 0) throw new Error('No upstream key is configured.')
    const removed = this.#keys.filter(key => !keys.includes(key))
    const added = keys.filter(key => !known.has(key.secret))
    this.#keys = keys
    this.#turn = 0
    this.#resting = keys.filter(({ rest }) => rest !== null).length
    return { added: added.map(lastFour), removed: removed.map(lastFour) }
  }

  /** In the order in which they are configured. */
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

  /** A used-up quota may be that of another model, so such a key comes before one that is refused; else the one whose rest ends first. */
  #findLikeliest(): UpstreamKey {
    let likeliest = this.#advance()
    for (const key of this.#keys) if (isLikelier(key.rest, likeliest.rest)) likeliest = key
    return likeliest
  }
}

/** The last four characters of keys; null where four would be much of one. */
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

/** As operators see a key; null where four characters would be much of it. */
export function lastFour({ secret }: Pick<UpstreamKey, 'secret'>): string | null {
  return secret.length < 12 ? null : `…${secret.slice(-4)}`
}
