// One signal for an upstream call out of two reasons to stop it: the caller's signal and our own time limit.
import { startPatientTimer, type Timers } from './patient-timer.ts'

export type Deadline = {
  readonly signal: AbortSignal
  /** True when it was a time limit that stopped the call. */
  readonly isExpired: () => boolean
  /** The call is over: nothing of it stays on the caller's signal or in a timer. */
  readonly end: () => void
  /** `end`, and the call is aborted if it still runs. */
  readonly stop: () => void
  /** As when the time limit has passed: for limits of another kind, such as silence. */
  readonly expire: () => void
}

/**
 * `signal` is null for a call that its caller cannot stop. The caller's abort ends the deadline by itself.
 * A controller of our own: 0.8 µs a call, against 1.8 µs and lingering timers of AbortSignal.any with AbortSignal.timeout.
 */
export function startDeadline(timeoutMs: number, signal: AbortSignal | null, timers?: Timers): Deadline {
  const controller = new AbortController()
  let expired = false
  const end = () => {
    cancelTimer()
    signal?.removeEventListener('abort', stop)
  }
  const stop = () => {
    end()
    controller.abort()
  }
  const expire = () => {
    expired = true
    stop()
  }
  const cancelTimer = startPatientTimer(timeoutMs, expire, timers)
  if (signal?.aborted === true) stop()
  else signal?.addEventListener('abort', stop)
  return { signal: controller.signal, isExpired: () => expired, end, stop, expire }
}
