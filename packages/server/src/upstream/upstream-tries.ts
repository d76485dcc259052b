// One try at an upstream and its result: what operators see when a model provider fails.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Log } from '../http/log.ts'
import { type KeyChange, type KeyNews, lastFour } from './key-ring.ts'
import { redact } from './redact.ts'

export type UpstreamTry = {
  /** The kind of call: `chat`, `images`, … */
  readonly endpoint: string
  /** The last four characters of the key; null if there is none, or if four would be much of it. */
  readonly key: string | null
  /** The status of the reply; null if none came. */
  readonly status: number | null
  /** `ok`, `client_left`, or the code of the error that a client would get. */
  readonly outcome: string
  /** Why it failed, without our key; null for `ok` and `client_left`. */
  readonly cause: string | null
  readonly willRetry: boolean
  /** The key was rejected, and the call continues with another one at once: the ring reports the key. */
  readonly movesOn: boolean
}

export type ReportTry = (report: UpstreamTry) => void

type TriedWith = { readonly endpoint: string; readonly secret: string; readonly status: number | null }

/** `error`: null if the upstream has served. `hasLeft`: the failure is the end that the client put to the call. */
export function describeTry(
  { endpoint, secret, status }: TriedWith,
  error: ApiError | null,
  { hasLeft = false, willRetry = false, movesOn = false } = {},
): UpstreamTry {
  const tried = { endpoint, key: lastFour({ secret }), status }
  if (error === null || hasLeft)
    return {
      ...tried,
      outcome: hasLeft ? 'client_left' : 'ok',
      cause: null,
      willRetry: false,
      movesOn: false,
    }
  return { ...tried, outcome: error.code, cause: describeCause(error, secret), willRetry, movesOn }
}

/** The message of the error and of its causes, without our key. */
export function describeCause(error: ApiError, secret: string): string {
  return redact(reportCause(error), secret)
}

function reportCause(error: Error): string {
  const { cause } = error
  if (!(cause instanceof Error) || cause.message === error.message) return error.message
  return `${error.message} ${cause instanceof ApiError ? cause.message : `${cause.name}: ${cause.message}`}`
}

// Counts every try at an upstream, and logs those that failed and each key that rests or is back.

export type UpstreamReports = {
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly count: (upstream: string, outcome: string) => void
  readonly monotonicMs: () => number
}

const quietMs = 1000
const maxKinds = 1000

/**
 * Faults of the participant, and calls that it ended, are only counted. For failures of one kind (upstream, key, outcome, status) one
 * line a second is logged: an upstream that is down fails as often as it is called. The next line says how many were left out. A try
 * has no line if its call continued with another key: the key has one.
 */
export function createUpstreamReports({ log, count, monotonicMs }: UpstreamReports) {
  const lastOutcomes = new Map<string, string>()
  const recent = new Map<string, RecentTries>()
  const kinds = new Map<string, { reportedAt: number; untold: number }>()

  const warn = (upstream: string, report: UpstreamTry): void => {
    const { endpoint, key, status, outcome, cause, willRetry } = report
    const kind = `${upstream} ${key} ${outcome} ${status}`
    const known = kinds.get(kind) ?? { reportedAt: Number.NEGATIVE_INFINITY, untold: 0 }
    const now = monotonicMs()
    if (now - known.reportedAt < quietMs) {
      known.untold += 1
      return
    }
    if (kinds.size >= maxKinds) kinds.clear()
    kinds.set(kind, { reportedAt: now, untold: 0 })
    log.warn(
      {
        upstream,
        upstream_key: key,
        endpoint,
        status,
        outcome,
        cause,
        retried: willRetry,
        ...(known.untold > 0 ? { untold: known.untold } : {}),
      },
      'A call to the model provider failed.',
    )
  }

  return {
    tryOf: (upstream: string): ReportTry => {
      const tries = new RecentTries()
      recent.set(upstream, tries)
      return report => {
        const isFailed = isUpstreamFailure(report.outcome) && !report.movesOn
        count(upstream, report.outcome)
        lastOutcomes.set(upstream, report.outcome)
        tries.note(isFailed, monotonicMs())
        if (isFailed) warn(upstream, report)
      }
    },
    keysChanged: (upstream: string, { added, removed }: KeyChange): void => {
      if (added.length + removed.length === 0) return
      log.info({ upstream, added, removed }, 'The keys of an upstream changed.')
    },
    /** Null before the first try. */
    lastOutcome: (upstream: string): string | null => lastOutcomes.get(upstream) ?? null,
    /** Covers the last five minutes. A try is not a failure here if its call continued with another key: the key is reported itself. */
    recentTries: (upstream: string): TrySums =>
      recent.get(upstream)?.sum(monotonicMs()) ?? { tries: 0, failed: 0 },
    /** One warning for each rest, however many calls it meets; `team_id` if the key rests for one team only. */
    keyOf: (upstream: string) => (news: KeyNews) => {
      const { id, key, fault, team } = news
      const only = team === null ? {} : { team_id: team }
      const which = { upstream, upstream_key: key, upstream_key_id: id, fault, ...only }
      if (news.state === 'back') {
        const seconds = { rested_seconds: inSeconds(news.restedMs) }
        log.info({ ...which, ...seconds }, 'A key for the model provider is in use again.')
        return
      }
      const { cause, restMs } = news
      log.warn(
        { ...which, cause, rests_seconds: inSeconds(restMs) },
        'A key for the model provider was rejected and is benched.',
      )
    },
  }
}

function inSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10
}

/** `upstream_rejected` is an invalid request, `content_policy_violation` the upstream's judgement of a prompt. */
export function isUpstreamFailure(outcome: string): boolean {
  return (outcome.startsWith('upstream_') && outcome !== 'upstream_rejected') || outcome === 'model_not_found'
}

// Counts the tries at one upstream of the last five minutes, and how many of them have failed.

export type TrySums = { readonly tries: number; readonly failed: number }

const sliceMs = 10_000
const slices = 30

/** Slices of ten seconds: the oldest counted try is up to that much older than five minutes. */
export class RecentTries {
  readonly #tries = new Uint32Array(slices)
  readonly #failed = new Uint32Array(slices)
  /** The slice of time in each place. */
  readonly #held = new Float64Array(slices).fill(-1)

  /** `now`: ms of any clock that only goes forward, the same for all calls. */
  note(isFailed: boolean, now: number): void {
    const slice = Math.floor(now / sliceMs)
    const place = slice % slices
    if (this.#held[place] !== slice) {
      this.#held[place] = slice
      this.#tries[place] = 0
      this.#failed[place] = 0
    }
    this.#tries[place] = (this.#tries[place] ?? 0) + 1
    if (isFailed) this.#failed[place] = (this.#failed[place] ?? 0) + 1
  }

  sum(now: number): TrySums {
    const oldest = Math.floor(now / sliceMs) - slices
    let tries = 0
    let failed = 0
    for (let place = 0; place < slices; place += 1) {
      if ((this.#held[place] ?? -1) <= oldest) continue
      tries += this.#tries[place] ?? 0
      failed += this.#failed[place] ?? 0
    }
    return { tries, failed }
  }
}
