// What the contract and the simulation need of an engine of the limits, whether it decides at once or asks another machine.
import type { OwnerTotal } from '../memory/create-memory-limits.ts'
import type { Limits } from '../port.ts'
import type { GatherScope } from '../windows/window-contents.ts'

/** A port whose answers may all be promises. */
type Awaitable<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Result | Promise<Awaited<Result>>
    : never
}

export type LimitsEngine = {
  /** Those of the process that runs now. */
  readonly limits: Awaitable<Limits>
  /** Writes down what has changed, as with a charge or once a second; false when there was nothing to write. */
  readonly write: (scope: GatherScope) => boolean | Promise<boolean>
  /** Unix ms; null before the first row. */
  readonly lastWrittenAt: () => number | null
  /** The process is killed and another begins with what was written and with these totals of the ledger. */
  readonly restart: (totals: readonly OwnerTotal[]) => void | Promise<void>
}

/** `time` is Unix ms and set by the caller, also back. */
export type CreateEngine = (time: { readonly now: number }) => LimitsEngine | Promise<LimitsEngine>
