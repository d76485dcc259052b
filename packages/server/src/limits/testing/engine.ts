// What the contract and the simulation need of an engine of the limits: one process that decides by itself, or several on one database.
import type { NanoDollars } from '../../ledger/money.ts'
import type { OwnerTotal } from '../memory/create-memory-limits.ts'
import type { Hold, Limits, SpendCorrection } from '../port.ts'
import type { GatherScope } from '../windows/window-contents.ts'

/** A port whose answers may all be promises. */
type Awaitable<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Result | Promise<Awaited<Result>>
    : never
}

export type Actual = { readonly cost: NanoDollars; readonly tokens: number }

export type EngineProcess = {
  readonly limits: Awaitable<Limits>
  /** As the flow ends a paid call: the charge is written, then the limits are told. */
  readonly charge: (hold: Hold, actual: Actual) => void | Promise<void>
  /** As the failure of a video that was charged: the refund is written, then the limits are told. */
  readonly refund: (charged: Hold, cost: NanoDollars) => void | Promise<void>
  /** As a correction by hand: its row is written, then the limits are told. */
  readonly adjust: (correction: SpendCorrection) => void | Promise<void>
}

/** What an engine can do because its state is in a database. */
export type SharedAbilities = {
  /** As `charge` of that process, but the answer of the commit is lost, and it is sent again. */
  readonly chargeTwice: (process: number, hold: Hold, actual: Actual) => Promise<void>
  /**
   * The process sleeps until its lease is over; another one ends the calls that it ran; then it wakes and takes a new lease. It still
   * knows those calls: their charges come late.
   */
  readonly stall: (process: number) => Promise<void>
  /** The database stops at once, starts again, and every process finds it. Absent where the test does not own the server. */
  readonly crash?: () => Promise<void>
}

export type LimitsEngine = {
  /** Those that run, always as many; where one was killed stands its successor. More than one only with `shared`. */
  readonly processes: readonly [EngineProcess, ...EngineProcess[]]
  /** Null where the state is in the process: windows are then written down by `write`, and what was not is lost with the process. */
  readonly shared: SharedAbilities | null
  /** Writes down what has changed, as with a charge or once a second; false when there was nothing to write, as always with `shared`. */
  readonly write: (scope: GatherScope) => boolean | Promise<boolean>
  /** Unix ms; null before the first row. */
  readonly lastWrittenAt: () => number | null
  /**
   * The process is killed and another begins. Slots and money of its calls are free when this has ended; their requests and reserved
   * tokens stay in the windows (`shared`), or what was written of them. `totals` are what the ledger holds: a database has them already.
   */
  readonly restart: (process: number, totals: readonly OwnerTotal[]) => void | Promise<void>
}

/**
 * An engine with nothing in its state. `time` is Unix ms and set by the caller, also back: that counts as standing still, until
 * a process that had the state to itself is killed.
 */
export type CreateEngine = (time: { readonly now: number }) => LimitsEngine | Promise<LimitsEngine>
