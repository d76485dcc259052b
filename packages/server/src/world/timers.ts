// Timers as functions that return their own stop, for code that gets its clock passed in.
import { setTimeout as setTimeoutPromise } from 'node:timers/promises'

/** Runs a function at this interval. */
export function every(milliseconds: number, run: () => void): () => void {
  const timer = setInterval(run, milliseconds)
  return () => clearInterval(timer)
}

/**
 * Runs a function at this interval, never concurrently: a run is skipped while the previous one is still going. `run` must not reject. The
 * returned function stops it, and resolves when the current run has ended.
 */
export function keepRunning(
  repeat: typeof every,
  milliseconds: number,
  run: () => Promise<void>,
): () => Promise<void> {
  let running: Promise<void> | null = null
  const stop = repeat(milliseconds, () => {
    running ??= run().finally(() => {
      running = null
    })
  })
  return async () => {
    stop()
    await running
  }
}

/** Runs a function once, after this many milliseconds. */
export function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds)
  return () => clearTimeout(timer)
}

/** Resolves after this many milliseconds, or when the signal aborts. Does not keep the process alive. */
export function waitUntil(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return setTimeoutPromise(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)
}
