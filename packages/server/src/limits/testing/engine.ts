// The interface of a limits engine for the contract and the simulation: one process that decides by itself, or multiple on one database.
import type { NanoDollars } from '../../ledger/money.ts'
import type { OwnerTotal } from '../memory/create-memory-limits.ts'
import type { Hold, Limits, SpendCorrection } from '../port.ts'
import type { GatherScope } from '../windows/window-contents.ts'

/** A port with answers that may all be promises. */
type Awaitable<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Result | Promise<Awaited<Result>>
    : never
}

export type Actual = { readonly cost: NanoDollars; readonly tokens: number }

export type EngineProcess = {
  readonly limits: Awaitable<Limits>
  /** Like the flow at the end of a paid call: writes the charge, then notifies the limits. */
  readonly charge: (hold: Hold, actual: Actual) => void | Promise<void>
  /** Like the failure of a charged video: writes the refund, then notifies the limits. */
  readonly refund: (charged: Hold, cost: NanoDollars) => void | Promise<void>
  /** Like a manual correction: writes its row, then notifies the limits. */
  readonly adjust: (correction: SpendCorrection) => void | Promise<void>
}

/** Abilities of an engine with its state in a database. */
export type SharedAbilities = {
  /** Like `charge` of that process, but the answer of the commit is lost, and it is sent again. */
  readonly chargeTwice: (process: number, hold: Hold, actual: Actual) => Promise<void>
  /**
   * The process sleeps until its lease is over; another one ends the calls that it ran; then it wakes and takes a new lease. It still knows
   * those calls: their charges come late.
   */
  readonly stall: (process: number) => Promise<void>
  /** The database stops at once, starts again, and every process finds it. Absent if the test does not own the server. */
  readonly crash?: () => Promise<void>
}

export type LimitsEngine = {
  /** The running processes, always the same number: a killed one is replaced by its successor. More than one only with `shared`. */
  readonly processes: readonly [EngineProcess, ...EngineProcess[]]
  /** Null if the state is in the process: `write` then writes the windows, and what was not written is lost with the process. */
  readonly shared: SharedAbilities | null
  /** Writes what has changed, as with a charge or once a second; false if there was nothing to write, as always with `shared`. */
  readonly write: (scope: GatherScope) => boolean | Promise<boolean>
  /** Unix ms; null before the first row. */
  readonly lastWrittenAt: () => number | null
  /**
   * Kills the process and starts another. When this has ended, slots and money of its calls are free; their requests and reserved tokens
   * stay in the windows (`shared`), or what was written of them. `totals`: the ledger's totals, which a database already has.
   */
  readonly restart: (process: number, totals: readonly OwnerTotal[]) => void | Promise<void>
}

/**
 * Creates an engine with empty state. `time` is Unix ms and set by the caller, also backwards: that counts as standing still, until a
 * process that had the state to itself is killed.
 */
export type CreateEngine = (time: { readonly now: number }) => LimitsEngine | Promise<LimitsEngine>
