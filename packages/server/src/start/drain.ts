// Takes listeners down gently: no new connections, running requests end by themselves, until the time is up.
import type { RunningDoor } from './listen.ts'

/** Resolves with the number of requests that had to be cut off. */
export async function drain(doors: readonly RunningDoor[], milliseconds: number): Promise<number> {
  const stopped = Promise.all(doors.map(({ server }) => server.stop(false)))
  const timedOut = Promise.withResolvers<void>()
  const timer = setTimeout(timedOut.resolve, milliseconds)
  await Promise.race([stopped, timedOut.promise])
  clearTimeout(timer)
  const left = doors.reduce((sum, { server }) => sum + server.pendingRequests, 0)
  await Promise.all(doors.map(({ server }) => server.stop(true)))
  return left
}
