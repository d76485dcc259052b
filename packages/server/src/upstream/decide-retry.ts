// Whether a failed upstream call is tried again, and when: only where the upstream has surely done, and billed, nothing.

export type UpstreamFault = {
  /** The upstream's HTTP status; null when no connection came about. */
  readonly status: number | null
  /** What the upstream asked to wait, in ms; null when it did not say. */
  readonly askedDelayMs: number | null
}

/** An order makes something that outlives the request. `never`: whoever asks will ask again. */
export type Repeatable = 'call' | 'order' | 'never'

/** A time-out (408, 504) is not among them: the work may have been done. Of an order, other failures may mean that it was taken. */
const retryable: Readonly<Record<Repeatable, readonly (number | null)[]>> = {
  call: [429, 500, 502, 503, null],
  order: [429, 503],
  never: [],
}

const firstDelayMs = 250
/** A caller waits no longer than this for one further try. */
const longestDelayMs = 4000

/** True when the upstream has surely done, and billed, nothing: somebody else may be asked. */
export function isSurelyUndone(fault: UpstreamFault, repeatable: Repeatable = 'call'): boolean {
  return retryable[repeatable].includes(fault.status)
}

/**
 * Milliseconds to wait before the next try, or null for none. `attempt` counts from 0; `random` is in [0, 1). The delay doubles
 * with each try and is spread over its upper half, so that callers who failed together do not come back together.
 */
export function decideRetry(
  fault: UpstreamFault,
  attempt: number,
  random: number,
  repeatable: Repeatable = 'call',
): number | null {
  if (!isSurelyUndone(fault, repeatable)) return null
  if (fault.askedDelayMs !== null) return fault.askedDelayMs <= longestDelayMs ? fault.askedDelayMs : null
  return firstDelayMs * 2 ** attempt * (0.5 + random / 2)
}
