// Shuts listeners down gently: clients move to other processes, no new connections are accepted, and running calls may finish until the
// time is up.
import type { RunningDoor } from './listen.ts'

export type DrainDependencies = {
  readonly doors: readonly RunningDoor[]
  /** Calls that are not settled yet, including those with a client that has left and that no listener counts any longer. */
  readonly countCalls: () => number
  /** Streams that are not charged yet. */
  readonly countStreams: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

const pollInterval = 10
/** A cut-off stream only needs its charge, but one that is recorded for its Idempotency-Key may continue for long. */
const settleMs = 5000

/** Resolves with the number of requests and calls that had to be cut off. */
export async function drain(
  { doors, countCalls, countStreams, wait }: DrainDependencies,
  milliseconds: number,
): Promise<number> {
  let isOver = false
  const ended = (async () => {
    await Promise.all(doors.map(({ server }) => server.stop(false)))
    while (countCalls() > 0 && !isOver) await wait(pollInterval)
  })()
  const timedOut = Promise.withResolvers<void>()
  const timer = setTimeout(timedOut.resolve, milliseconds)
  await Promise.race([ended, timedOut.promise])
  clearTimeout(timer)
  isOver = true
  const pending = doors.reduce((sum, { server }) => sum + server.pendingRequests, 0)
  const left = Math.max(pending, countCalls())
  await Promise.all(doors.map(({ server }) => server.stop(true)))
  for (let waited = 0; countStreams() > 0 && waited < settleMs; waited += pollInterval)
    await wait(pollInterval)
  return left
}

/** Tracks streams that began before the drain: their clients will send the next request on the same connection. */
export class KeptStreams {
  #running = 0
  #lastEndAt = Number.NEGATIVE_INFINITY
  readonly #now: () => number

  /** Monotonic ms. */
  constructor(now: () => number) {
    this.#now = now
  }

  readonly enter = (): void => {
    this.#running += 1
  }

  readonly leave = (): void => {
    this.#running -= 1
    this.#lastEndAt = this.#now()
  }

  /** How long none has been running; 0 while one is. */
  quietMs(): number {
    return this.#running > 0 ? 0 : this.#now() - this.#lastEndAt
  }
}

/**
 * Waits until clients with kept connections have received a `connection: close` and moved to another process, while requests are still
 * accepted: `announceMs` from now, and as long after the end of the last stream that began before, but at most `maxMs`.
 */
export async function letClientsMove(
  streams: Pick<KeptStreams, 'quietMs'>,
  now: () => number,
  wait: DrainDependencies['wait'],
  { announceMs, maxMs }: { readonly announceMs: number; readonly maxMs: number },
): Promise<void> {
  const from = now()
  const isOver = () => {
    const passed = now() - from
    return passed >= announceMs && (passed >= maxMs || streams.quietMs() >= announceMs)
  }
  while (!isOver()) await wait(pollInterval)
}
