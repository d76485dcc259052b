// Tools shared by all parts of the sandbox: counters, switches for all calls, waiting, the clock.
import type { createCallCount } from './count-calls.ts'
import type { createCounters } from './counters.ts'
import type { Trouble } from './make-trouble.ts'
import type { Switches } from './switches.ts'

export type Tools = {
  readonly counters: ReturnType<typeof createCounters>
  readonly countCall: ReturnType<typeof createCallCount>
  /** The switches for all calls. Those of the prompt and the header override them. */
  readonly commonSwitches: () => Switches
  readonly trouble: Trouble
  readonly wait: (milliseconds: number) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now: () => number
}
