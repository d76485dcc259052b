// Releases what a call has taken. If the limits need a database for that, the answer waits, so that its client can call again
// at once; but only briefly, and no failure here changes an answer.
import type { Hold, Limits } from '../../limits/port.ts'
import type { World } from '../../world/world.ts'

export type ReleaseDependencies = Pick<World, 'after'> & {
  readonly limits: Pick<Limits, 'release'>
  readonly reportError: (error: unknown, callId: string) => void
}

/** A healthy database answers within milliseconds. An unavailable one must not keep a client from an answer that is ready. */
const longestWaitMs = 1000

/** Null if there is nothing to wait for, as with limits in memory. Never throws or rejects. */
export function release(dependencies: ReleaseDependencies, hold: Hold): Promise<void> | null {
  const { limits, after, reportError } = dependencies
  const report = (error: unknown): void => reportSafely(error, reported => reportError(reported, hold.callId))
  try {
    const released = limits.release(hold)
    return released instanceof Promise ? awaitBriefly(released.catch(report), after) : null
  } catch (error) {
    report(error)
    return null
  }
}

function awaitBriefly(promise: Promise<void>, after: World['after']): Promise<void> {
  return new Promise(resolve => {
    const stop = after(longestWaitMs, resolve)
    void promise.then(() => {
      stop()
      resolve()
    })
  })
}

// Runs side tasks that must not change the course of a call: a failure is reported, and nothing else. None throws, even if `report` does.

export function quietly(run: () => void, report: (error: unknown) => void): void {
  try {
    run()
  } catch (error) {
    reportSafely(error, report)
  }
}

export async function awaitQuietly(
  run: () => Promise<unknown>,
  report: (error: unknown) => void,
): Promise<void> {
  try {
    await run()
  } catch (error) {
    reportSafely(error, report)
  }
}

export function reportSafely(error: unknown, report: (error: unknown) => void): void {
  try {
    report(error)
  } catch {
    // There is no one left to report to.
  }
}
