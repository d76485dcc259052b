// Timers as functions that return their own stop, for the parts that are given their clock.
import { setTimeout as setTimeoutPromise } from 'node:timers/promises'

/** Runs a function every so many milliseconds. */
export function every(milliseconds: number, run: () => void): () => void {
  const timer = setInterval(run, milliseconds)
  return () => clearInterval(timer)
}

/**
 * Runs a function every so many milliseconds, and never beside itself: a time at which it still runs is left out. It must not reject. The
 * returned function stops it, and resolves when what is under way has ended.
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

/** Runs a function once, after so many milliseconds. */
export function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds)
  return () => clearTimeout(timer)
}

/** Resolves after so many milliseconds, or when the signal aborts; it keeps no process alive. */
export function waitUntil(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return setTimeoutPromise(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)
}
