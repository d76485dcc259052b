// What the gateway asks of the limits, whether their state lives in this process or in a database that many processes share.
import type * as admission from '../ledger/admission.ts'
import type { PeriodRules } from '../ledger/budget-account.ts'
import type { BudgetGrant, BudgetLevel } from '../ledger/decide-budget.ts'
import type { NanoDollars } from '../ledger/money.ts'

export type CallEstimate = admission.CallEstimate
export type LimitLevel = admission.LimitLevel
export type RateSnapshot = admission.RateSnapshot
export type Refusal = admission.Refusal

/** The windows of one level; null where that level has no such limit. One of the two is set. */
export type RateLimit = {
  readonly level: LimitLevel
  readonly requests: number | null
  readonly tokens: number | null
}

export type BudgetLimit = {
  readonly level: 'team' | 'key' | 'key_model' | 'event'
  readonly maximum: NanoDollars
  /** What was granted on top of it, in the period that starts at `periodStart` (Unix ms) alone; null: nothing. */
  readonly granted: { readonly amount: NanoDollars; readonly periodStart: number } | null
}

/** Everything that limits the calls of one key on one model, as ids and figures. Built by `build-levels.ts`; it never changes. */
export type Levels = {
  readonly teamId: string
  readonly keyHash: string
  /** Null for a call for information, and where it is not yet known which model the call wants. */
  readonly modelId: string | null
  /** Calls of the key that may run at once. */
  readonly slots: number
  /** Only levels that have a limit, in the order in which ties are named. */
  readonly rates: readonly RateLimit[]
  /** Only levels that have a budget, in the order in which ties are named. */
  readonly budgets: readonly BudgetLimit[]
  /** How the budget periods run. Those of the key count for its models as well. */
  readonly periods: { readonly team: PeriodRules; readonly key: PeriodRules }
  /** Unix ms: from then on they hold no longer, since a phase of the event ends or begins; null: as long as the records stay. */
  readonly until: number | null
}

export type AdmissionRequest = {
  /** Unique among running calls. */
  readonly callId: string
  /** Without a model it is a call for information, which takes only a parallel slot. */
  readonly levels: Levels
  /** What the token windows reserve, over all choices. */
  readonly tokens: { readonly input: number; readonly output: number }
  readonly estimate: CallEstimate
  readonly countsRequest: boolean
}

/** What an admitted call has taken. It must be settled or released on every way out. */
export type Hold = {
  readonly callId: string
  readonly teamId: string
  readonly keyHash: string
  readonly modelId: string | null
  readonly amount: NanoDollars
  /** Output cap of one choice; null for calls that are not priced by tokens. */
  readonly outputCap: number | null
  /** True when the cap is below the asked one. */
  readonly reduced: boolean
  /** Starts (Unix ms) of the budget periods the call was admitted in: its charge belongs to these. */
  readonly periods: { readonly team: number; readonly key: number }
  /** Unix ms. */
  readonly admittedAt: number
}

export type Decision =
  | { readonly admitted: true; readonly hold: Hold; readonly rates: RateSnapshot }
  | { readonly admitted: false; readonly refusal: Refusal; readonly rates: RateSnapshot }

/** A refusal before anything was asked for. */
export type EarlyRefusal = { readonly refusal: Refusal; readonly rates: RateSnapshot }

/** What `admit` would decide of a call that has its slot, with the figures behind it. */
export type Preview = {
  readonly refusal: Refusal | null
  /** What would be held; null where the call would be refused. */
  readonly grant: BudgetGrant | null
  readonly budgets: readonly BudgetLevel[]
  readonly rates: RateSnapshot
}

/** Whose money it is. */
export type OwnerRef =
  | { readonly kind: 'team'; readonly teamId: string }
  | { readonly kind: 'key'; readonly teamId: string; readonly keyHash: string }
  | {
      readonly kind: 'key_model'
      readonly teamId: string
      readonly keyHash: string
      readonly modelId: string
    }
  /** All teams together, in the one period of `eventPeriodStart`. */
  | { readonly kind: 'event' }

/** An owner in the period that starts at `periodStart` (Unix ms, by `periodOf`). */
export type OwnerPeriod = { readonly owner: OwnerRef; readonly periodStart: number }

/** A key in the period that starts at `periodStart`. */
export type KeyPeriod = { readonly teamId: string; readonly keyHash: string; readonly periodStart: number }

/** Of one period: 0 when the owner has no call in it yet. */
export type Spend = { readonly spent: NanoDollars; readonly held: NanoDollars }

export type ModelSpend = { readonly modelId: string; readonly spent: NanoDollars }

/** `freesAt` (Unix ms): when one more fits again; null where it does now, and where it never will. */
export type WindowUse = { readonly limit: number; readonly used: number; readonly freesAt: number | null }

export type RateUse = {
  readonly level: LimitLevel
  readonly requests: WindowUse | null
  readonly tokens: WindowUse | null
}

/** What calls have taken of the windows of one `Levels`, in the order of its rates, and how many calls of its key run. */
export type LevelsUse = { readonly running: number; readonly rates: readonly RateUse[] }

/** A charge that counts: whose, when, and how much. */
export type SettledCharge = Pick<Hold, 'teamId' | 'keyHash' | 'modelId' | 'periods'> & {
  readonly cost: NanoDollars
}

/** A correction of what was spent that is on disk: more, or (negative) less. Without a key it is of the team alone. */
export type SpendCorrection = {
  readonly teamId: string
  readonly keyHash: string | null
  readonly modelId: string | null
  /** Starts (Unix ms) of the periods in which it counts. */
  readonly periods: { readonly team: number; readonly key: number }
  /** Nano-dollars. */
  readonly amount: number
}

/** Of the calls of this process. */
export type LimitTotals = {
  readonly heldNanoDollars: number
  /** Running calls that hold money. */
  readonly holds: number
  /** Running calls: those for information, and those whose body is still awaited, included. */
  readonly slots: number
}

/**
 * An engine that decides by itself answers at once, one that asks a database answers with promises. Callers wait only where there
 * is a promise. Every member may be passed on alone.
 */
export type Limits = {
  /**
   * Takes a parallel slot before it is known what the call wants: null, or why not. `admit` with the same id takes the slot over
   * and does not count it again; `leave` frees it unless that has happened. A call that has entered must leave.
   */
  readonly enter: (
    call: Pick<AdmissionRequest, 'callId' | 'levels'>,
  ) => EarlyRefusal | null | Promise<EarlyRefusal | null>
  readonly leave: (callId: string) => void
  /**
   * What refuses any call of the key that counts and costs at least `leastCost`; null when one might pass. Takes nothing. Where the
   * state is shared it may know less than the truth, and never refuses what would pass.
   */
  readonly foresee: (call: {
    readonly levels: Levels
    readonly leastCost: NanoDollars
  }) => EarlyRefusal | null
  /**
   * What `admit` would decide now; takes nothing. Where the state is shared, budgets are read, and of windows and slots it says what this
   * process has last seen.
   */
  readonly preview: (request: AdmissionRequest) => Preview | Promise<Preview>
  /**
   * Decides all levels in one step, in the order parallel, requests, tokens, budget; a refusal consumes nothing.
   * Throws UnpricedUnitError when the call cannot be priced, and LevelsOver. Rejects with ApiError `unavailable` when it cannot be decided: the call
   * has then taken nothing, or the engine gives back by itself what it has taken. A call for information is never refused so.
   */
  readonly admit: (request: AdmissionRequest) => Decision | Promise<Decision>
  /**
   * The charge of the call is on disk: the cost counts in the period of the admission, the slot is free, unused tokens return
   * to their second. Where the state is shared, money and slot have moved with the charge's commit. The first settle or release of a
   * hold counts, later ones do nothing.
   */
  readonly settle: (hold: Hold, actual: { readonly cost: NanoDollars; readonly tokens: number }) => void
  /**
   * Counts the tokens that a running call is known to have used beyond its reservation, before its charge is written: windows are
   * written down with the charge, so that a crash between charge and `settle` forgets none.
   */
  readonly exceed: (hold: Hold, tokens: number) => void
  /**
   * As `settle` with nothing charged and all tokens returned; the request stays counted. A promise resolves when slot and money are
   * free for the next call, on any process. Should that take long or fail, the engine goes on by itself: nobody needs to ask again.
   */
  readonly release: (hold: Hold) => void | Promise<void>
  /** Takes back what a call was settled with, in the periods it was admitted in. The ledger says once for each refund. */
  readonly refund: (charged: SettledCharge) => void
  /** The correction of team, key, model and event is on disk. Where the state is shared it has moved with its commit. */
  readonly adjust: (correction: SpendCorrection) => void
  /** One answer for each that is asked, in their order. Where the database is away: what was last known, else ApiError `unavailable`. */
  readonly readSpend: (asked: readonly OwnerPeriod[]) => readonly Spend[] | Promise<readonly Spend[]>
  /**
   * For each key the models that it has spent on in that period, by id in order; of a family, or gone from the catalog, too. Where the
   * database is away: as `readSpend`.
   */
  readonly readModelSpend: (
    keys: readonly KeyPeriod[],
  ) => readonly (readonly ModelSpend[])[] | Promise<readonly (readonly ModelSpend[])[]>
  /** One answer for each that is asked, in their order, for people to look at. Takes nothing. Where the state is shared it is read. */
  readonly readWindows: (asked: readonly Levels[]) => readonly LevelsUse[] | Promise<readonly LevelsUse[]>
  readonly totals: () => LimitTotals
}
