// Timers that a test advances by hand, and a process that it can freeze: time then passes, and timers fire only afterwards.
import { PatientTimers } from '../../world/patient-timers.ts'

export type ManualTimers = {
  readonly timers: PatientTimers
  /** Time passes, and each timer fires at its moment. */
  readonly pass: (milliseconds: number) => void
  /** Time passes at once; timers due meanwhile fire late. */
  readonly freeze: (milliseconds: number) => void
}

export function createManualTimers(): ManualTimers {
  let now = 0
  let waiting: { readonly at: number; readonly run: () => void }[] = []
  const fire = (until: number, atItsMoment: boolean) => {
    for (;;) {
      const [first] = waiting.filter(({ at }) => at <= until).toSorted((left, right) => left.at - right.at)
      if (first === undefined) return
      waiting = waiting.filter(timer => timer !== first)
      if (atItsMoment) now = Math.max(now, first.at)
      first.run()
    }
  }
  const timers = new PatientTimers({
    now: () => now,
    after: (milliseconds, run) => void waiting.push({ at: now + milliseconds, run }),
  })
  return {
    timers,
    pass: milliseconds => {
      const until = now + milliseconds
      fire(until, true)
      now = until
    },
    freeze: milliseconds => {
      now += milliseconds
      fire(now, false)
    },
  }
}
