// Takes listeners down gently: they accept no new connections, and running calls may end by themselves until the time is up.
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
