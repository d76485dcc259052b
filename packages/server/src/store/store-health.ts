// Tracks whether the database can be used: from every statement that fails, and from its own check about once a second.
import { classifyFailure, type FailureClass, type StoreFailureReason } from './classify-failure.ts'
import { StoreUnavailable } from './store-unavailable.ts'

export type StoreHealth = {
  /** Null while the database can be read and written. */
  readonly failure: () => StoreFailureReason | null
  /** `listener` runs each time the database becomes usable again. */
  readonly onRecovery: (listener: () => void) => void
}

export type StoreHealthDependencies = {
  /**
   * Rejects if the database cannot be used. Cheap while there is no doubt (`doubt` null); with a failure to disprove it reads and writes.
   */
  readonly check: (doubt: StoreFailureReason | null) => Promise<void>
  /** Runs a function at this interval (ms); returns its stop. */
  readonly every: (milliseconds: number, run: () => void) => () => void
  /** Called once per failure, not once per request. */
  readonly reportFailure: (error: unknown, reason: StoreFailureReason) => void
  readonly reportRecovery: (reason: StoreFailureReason) => void
  readonly monotonicMs: () => number
}

const lookMs = 1000
/** A failure that comes and goes is reported this often. */
const repeatMs = 60_000
/** After a first failure the next check comes at once: one lost connection must not refuse a second's worth of calls. */
const calmMs = 10_000

type Failed = Extract<FailureClass, { scope: 'store' }>

export function createStoreHealth(dependencies: StoreHealthDependencies) {
  const { check, reportFailure, reportRecovery, monotonicMs } = dependencies
  const listeners: (() => void)[] = []
  let failed: Failed | null = null
  let failures = 0
  let failedAt = Number.NEGATIVE_INFINITY
  let reported: { reason: StoreFailureReason; at: number } | null = null
  /** The ongoing failure has been reported. */
  let isReported = false
  let looking: Promise<void> | null = null

  const fail = (found: Failed, error: unknown): void => {
    // A failure that only a restart ends is not replaced by a lesser one.
    if (failed?.isPermanent === true) return
    // The same is true of damage: only a check that searches for it disproves it.
    if (failed?.reason === 'database_damaged' && found.reason !== 'database_damaged' && !found.isPermanent) {
      failures += 1
      return
    }
    const isNew = failed === null
    const isOther = failed?.reason !== found.reason
    const now = monotonicMs()
    const isCalm = now - failedAt > calmMs
    failed = found
    failures += 1
    failedAt = now
    if (isNew) isReported = false
    if (isOther && (reported?.reason !== found.reason || now - reported.at > repeatMs)) {
      reported = { reason: found.reason, at: now }
      isReported = true
      reportFailure(error, found.reason)
    }
    if (isNew && isCalm) void Promise.resolve().then(look)
  }
  const recover = ({ reason }: Failed): void => {
    failed = null
    if (isReported) reportRecovery(reason)
    for (const listener of listeners) listener()
  }
  const checkOnce = async (): Promise<void> => {
    const before = failed
    const failuresBefore = failures
    try {
      await check(before?.reason ?? null)
      // A check that began before a failure does not disprove it.
      if (before !== null && failures === failuresBefore) recover(before)
    } catch (error) {
      explain(error)
    }
  }
  const look = (): Promise<void> => {
    if (looking !== null) return looking
    if (failed?.isPermanent === true) return Promise.resolve()
    const current = checkOnce().finally(() => {
      looking = null
    })
    looking = current
    return current
  }
  /** The error that a statement's caller gets; a failure of the store is recorded. */
  const explain = (error: unknown): unknown => {
    if (error instanceof StoreUnavailable) return error
    const found = classifyFailure(error)
    if (found.scope === 'statement') return error
    if (found.scope === 'moment') return new StoreUnavailable(null, error)
    fail(found, error)
    return new StoreUnavailable(found.reason, error)
  }
  const stopLooking = dependencies.every(lookMs, () => void look())

  return Object.freeze({
    failure: () => failed?.reason ?? null,
    onRecovery: (listener: () => void) => {
      listeners.push(listener)
    },
    explain,
    /** Throws StoreUnavailable: writes to a damaged database would be lost. */
    assertWritable: (): void => {
      if (failed !== null && (failed.isPermanent || failed.reason === 'database_damaged'))
        throw new StoreUnavailable(failed.reason, null)
    },
    stop: async () => {
      stopLooking()
      await looking
    },
  })
}
