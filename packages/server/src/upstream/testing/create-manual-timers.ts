// Timers that a test moves by hand, and a process that it can freeze: time then passes, and timers fire only afterwards.
import type { Timers } from '../patient-timer.ts'

export type ManualTimers = Timers & {
  /** Time passes, and each timer fires at its moment. */
  readonly pass: (milliseconds: number) => void
  /** Time passes at once; what was due meanwhile fires late. */
  readonly freeze: (milliseconds: number) => void
  /** How many timers are set. */
  readonly waiting: () => number
}

export function createManualTimers(): ManualTimers {
  let now = 0
  let timers: { readonly at: number; readonly run: () => void }[] = []
  const fire = (until: number, atItsMoment: boolean) => {
    for (;;) {
      const [first] = timers.filter(({ at }) => at <= until).toSorted((left, right) => left.at - right.at)
      if (first === undefined) return
      timers = timers.filter(timer => timer !== first)
      if (atItsMoment) now = Math.max(now, first.at)
      first.run()
    }
  }
  return {
    now: () => now,
    after: (milliseconds, run) => {
      const timer = { at: now + milliseconds, run }
      timers.push(timer)
      return () => {
        timers = timers.filter(other => other !== timer)
      }
    },
    pass: milliseconds => {
      const until = now + milliseconds
      fire(until, true)
      now = until
    },
    freeze: milliseconds => {
      now += milliseconds
      fire(now, false)
    },
    waiting: () => timers.length,
  }
}
