// Stream timers that a test advances by hand.
import type { StreamTimers } from '../server-sent-events.ts'

export function createStreamTimers() {
  let now = 1
  let running: { readonly due: number; readonly run: () => void }[] = []
  const timers: StreamTimers = {
    now: () => now,
    start: (milliseconds, run) => {
      const timer = { due: now + milliseconds, run }
      running.push(timer)
      return {
        cancel: () => {
          running = running.filter(other => other !== timer)
        },
      }
    },
  }
  return {
    timers,
    /** Each timer runs at its moment. */
    pass: (milliseconds: number) => {
      const until = now + milliseconds
      for (;;) {
        const [first] = running
          .filter(({ due }) => due <= until)
          .toSorted((one, other) => one.due - other.due)
        if (first === undefined) break
        running = running.filter(timer => timer !== first)
        now = first.due
        first.run()
      }
      now = until
    },
    running: () => running.length,
  }
}
