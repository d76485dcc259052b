// What every part of the sandbox works with: counters, switches of all calls, waiting, the clock.
import type { createCallCount } from './count-calls.ts'
import type { createCounters } from './counters.ts'
import type { Trouble } from './make-trouble.ts'
import type { Switches } from './switches.ts'

export type Tools = {
  readonly counters: ReturnType<typeof createCounters>
  readonly countCall: ReturnType<typeof createCallCount>
  /** Switches set for all calls; those of the prompt and of the header come on top. */
  readonly commonSwitches: () => Switches
  readonly trouble: Trouble
  readonly wait: (milliseconds: number) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now: () => number
}
