// The gateway's interface to the limits, whether their state is in this process or in a database shared by many processes.
import type * as admission from '../ledger/admission.ts'
import type { PeriodRules } from '../ledger/budget-account.ts'
import type { BudgetGrant, BudgetLevel } from '../ledger/decide-budget.ts'
import type { NanoDollars } from '../ledger/money.ts'

export type CallEstimate = admission.CallEstimate
export type LimitLevel = admission.LimitLevel
export type RateSnapshot = admission.RateSnapshot
export type Refusal = admission.Refusal

/** The windows of one level; null if that level has no such limit. At least one of the two is set. */
export type RateLimit = {
  readonly level: LimitLevel
  readonly requests: number | null
  readonly tokens: number | null
}

export type BudgetLimit = {
  readonly level: 'team' | 'key' | 'key_model' | 'event'
  readonly maximum: NanoDollars
  /** Granted on top of it, only for the period that starts at `periodStart` (Unix ms); null: nothing. */
  readonly granted: { readonly amount: NanoDollars; readonly periodStart: number } | null
}

/** Everything that limits the calls of one key on one model, as ids and figures. Built by `build-levels.ts`; immutable. */
export type Levels = {
  readonly teamId: string
  readonly keyHash: string
  /** Null for a call for information, and while the requested model is not yet known. */
  readonly modelId: string | null
  /** Max calls of the key that may run at once. */
  readonly slots: number
  /** Only levels that have a limit, in the order in which ties are named. */
  readonly rates: readonly RateLimit[]
  /** Only levels that have a budget, in the order in which ties are named. */
  readonly budgets: readonly BudgetLimit[]
  /** Rules of the budget periods. Those of the key apply to its models as well. */
  readonly periods: { readonly team: PeriodRules; readonly key: PeriodRules }
  /** Unix ms from which they no longer apply, because a phase of the event ends or begins; null: as long as the records stay the same. */
  readonly until: number | null
}

export type AdmissionRequest = {
  /** Unique among running calls. */
  readonly callId: string
  /** Without a model it is a call for information, which only takes a parallel slot. */
  readonly levels: Levels
  /** Tokens that the windows reserve, over all choices. */
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
  /** True if the cap is below the requested one. */
  readonly reduced: boolean
  /** Starts (Unix ms) of the budget periods in which the call was admitted. Its charge belongs to these. */
  readonly periods: { readonly team: number; readonly key: number }
  /** Unix ms. */
  readonly admittedAt: number
}

export type Decision =
  | { readonly admitted: true; readonly hold: Hold; readonly rates: RateSnapshot }
  | { readonly admitted: false; readonly refusal: Refusal; readonly rates: RateSnapshot }

/** A refusal before anything was requested. */
export type EarlyRefusal = { readonly refusal: Refusal; readonly rates: RateSnapshot }

/** What `admit` would decide for a call that has its slot, with the underlying figures. */
export type Preview = {
  readonly refusal: Refusal | null
  /** The amount that would be held; null if the call would be refused. */
  readonly grant: BudgetGrant | null
  readonly budgets: readonly BudgetLevel[]
  readonly rates: RateSnapshot
}

/** The owner of a budget. */
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

/** Spend of one period: 0 if the owner has no call in it yet. */
export type Spend = { readonly spent: NanoDollars; readonly held: NanoDollars }

export type ModelSpend = { readonly modelId: string; readonly spent: NanoDollars }

/** `freesAt` (Unix ms): when one more fits again; null if one fits now or never will. */
export type WindowUse = { readonly limit: number; readonly used: number; readonly freesAt: number | null }

export type RateUse = {
  readonly level: LimitLevel
  readonly requests: WindowUse | null
  readonly tokens: WindowUse | null
}

/** Use of the windows of one `Levels`, in the order of its rates, and the number of running calls of its key. */
export type LevelsUse = { readonly running: number; readonly rates: readonly RateUse[] }

/** A charge that counts: owner, time and amount. */
export type SettledCharge = Pick<Hold, 'teamId' | 'keyHash' | 'modelId' | 'periods'> & {
  readonly cost: NanoDollars
}

/** A correction of spend that is on disk: more, or less if negative. Without a key it applies to the team alone. */
export type SpendCorrection = {
  readonly teamId: string
  readonly keyHash: string | null
  readonly modelId: string | null
  /** Starts (Unix ms) of the periods in which it counts. */
  readonly periods: { readonly team: number; readonly key: number }
  /** Nano-dollars. */
  readonly amount: number
}

/** Totals over the calls of this process. */
export type LimitTotals = {
  readonly heldNanoDollars: number
  /** Running calls that hold money. */
  readonly holds: number
  /** Running calls, including calls for information and calls without their body so far. */
  readonly slots: number
}

/**
 * An engine that decides by itself answers synchronously; one that asks a database answers with promises. Callers only wait if they get a
 * promise. Members are bound, so each can be passed on alone.
 */
export type Limits = {
  /**
   * Takes a parallel slot before it is known what the call wants. Returns null, or the reason why not. `admit` with the same id takes the
   * slot over without counting it again; otherwise `leave` frees it. A call that has entered must leave.
   */
  readonly enter: (
    call: Pick<AdmissionRequest, 'callId' | 'levels'>,
  ) => EarlyRefusal | null | Promise<EarlyRefusal | null>
  readonly leave: (callId: string) => void
  /**
   * Returns the refusal of any call of the key that counts and costs at least `leastCost`; null if one might pass. Takes nothing. With
   * shared state it may know less than the truth, but never refuses what would pass.
   */
  readonly foresee: (call: {
    readonly levels: Levels
    readonly leastCost: NanoDollars
  }) => EarlyRefusal | null
  /**
   * Returns what `admit` would decide now; takes nothing. With shared state it reads budgets, but windows and slots are as this process
   * last saw them.
   */
  readonly preview: (request: AdmissionRequest) => Preview | Promise<Preview>
  /**
   * Decides all levels in one step, in the order parallel, requests, tokens, budget. A refusal consumes nothing. Throws UnpricedUnitError
   * if the call cannot be priced, and LevelsOver. Rejects with ApiError `unavailable` if it cannot be decided: the call has then taken
   * nothing, or the engine returns by itself what it took. A call for information is never rejected this way.
   */
  readonly admit: (request: AdmissionRequest) => Decision | Promise<Decision>
  /**
   * Called when the charge of the call is on disk: the cost counts in the period of the admission, the slot is free, and unused tokens
   * return to their second. With shared state, money and slot have already moved with the charge's commit. Only the first settle or release
   * of a hold has an effect.
   */
  readonly settle: (hold: Hold, actual: { readonly cost: NanoDollars; readonly tokens: number }) => void
  /**
   * Counts tokens that a running call is known to have used beyond its reservation, before its charge is written. Windows are written
   * together with the charge, so a crash between charge and `settle` loses none.
   */
  readonly exceed: (hold: Hold, tokens: number) => void
  /**
   * Like `settle` with nothing charged and all tokens returned; the request stays counted. A promise resolves when slot and money are free
   * for the next call, on any process. If that takes long or fails, the engine keeps trying by itself, so callers need not ask again.
   */
  readonly release: (hold: Hold) => void | Promise<void>
  /** Reverses the settlement of a call, in the periods in which it was admitted. The ledger calls this once for each refund. */
  readonly refund: (charged: SettledCharge) => void
  /** Called when the correction of team, key, model and event is on disk. With shared state it has already moved with its commit. */
  readonly adjust: (correction: SpendCorrection) => void
  /** One answer for each request, in order. If the database is away: the values known last, else ApiError `unavailable`. */
  readonly readSpend: (asked: readonly OwnerPeriod[]) => readonly Spend[] | Promise<readonly Spend[]>
  /**
   * For each key, the models that it has spent on in that period, by id in order, including models of a family and models no longer in the
   * catalog. If the database is away: as `readSpend`.
   */
  readonly readModelSpend: (
    keys: readonly KeyPeriod[],
  ) => readonly (readonly ModelSpend[])[] | Promise<readonly (readonly ModelSpend[])[]>
  /** One answer for each request, in order, for display. Takes nothing. Shared state is read from the database. */
  readonly readWindows: (asked: readonly Levels[]) => readonly LevelsUse[] | Promise<readonly LevelsUse[]>
  readonly totals: () => LimitTotals
}
