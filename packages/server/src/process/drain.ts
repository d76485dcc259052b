// Takes listeners down gently: clients move to other processes, no new connections are accepted, and running calls may end by themselves
// until the time is up.
import type { RunningDoor } from './listen.ts'

export type DrainDependencies = {
  readonly doors: readonly RunningDoor[]
  /** Calls that are not settled yet. Those whose client has left count too, though no listener knows of them any more. */
  readonly countCalls: () => number
  /** Streams that are not charged yet. */
  readonly countStreams: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

const pollInterval = 10
/** A stream that was cut off only needs its charge; one that is recorded for its Idempotency-Key may go on for long. */
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

/** Streams that began before the drain: their clients will send the next request on the same connection. */
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

  /** For how long none has been running; 0 while one is. */
  quietMs(): number {
    return this.#running > 0 ? 0 : this.#now() - this.#lastEndAt
  }
}

/**
 * Waits until clients that keep their connections have met a `connection: close` and gone to another process, while requests are still
 * taken: `announceMs` from now, and as long after the end of the last stream that began before, but not longer than `mostMs`.
 */
export async function letClientsMove(
  streams: Pick<KeptStreams, 'quietMs'>,
  now: () => number,
  wait: DrainDependencies['wait'],
  { announceMs, mostMs }: { readonly announceMs: number; readonly mostMs: number },
): Promise<void> {
  const from = now()
  const isOver = () => {
    const passed = now() - from
    return passed >= announceMs && (passed >= mostMs || streams.quietMs() >= announceMs)
  }
  while (!isOver()) await wait(pollInterval)
}
