// What the gateway asks of the limits, whether their state lives in this process or in a shared store.
import type { CatalogModel } from '../catalog/types.ts'
import type { Key, Team } from '../directory/types.ts'
import type * as admission from '../ledger/admission.ts'
import type { NanoDollars } from '../ledger/money.ts'

export type CallEstimate = admission.CallEstimate
export type RateSnapshot = admission.RateSnapshot
export type Refusal = admission.Refusal

export type AdmissionRequest = {
  /** Unique among running calls. */
  readonly callId: string
  readonly team: Team
  readonly key: Key
  /** Null for a call for information: it takes only a parallel slot. */
  readonly model: CatalogModel | null
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

/** Whose money it is. */
export type OwnerRef =
  | { readonly kind: 'team'; readonly teamId: string }
  | { readonly kind: 'key'; readonly keyHash: string }
  | { readonly kind: 'key_model'; readonly keyHash: string; readonly modelId: string }

/** A charge that counts: whose, when, and how much. */
export type SettledCharge = Pick<Hold, 'teamId' | 'keyHash' | 'modelId' | 'periods'> & {
  readonly cost: NanoDollars
}

export type OwnerTotal = {
  readonly owner: OwnerRef
  readonly periodStart: number
  readonly spent: NanoDollars
}

export type LimitTotals = {
  readonly heldNanoDollars: number
  /** Running calls that hold money. */
  readonly holds: number
  /** Running calls: those for information, and those whose body is still awaited, included. */
  readonly slots: number
}

export type Parties = Pick<AdmissionRequest, 'team' | 'key'>

/** A refusal before anything was asked for. */
export type EarlyRefusal = { readonly refusal: Refusal; readonly rates: RateSnapshot }

export type Limits = {
  /**
   * Takes a parallel slot before it is known what the call wants: null, or why not. `admit` with the same id takes the slot over
   * and does not count it again; `leave` frees it unless that has happened. A call that has entered must leave.
   */
  readonly enter: (
    call: Parties & Pick<AdmissionRequest, 'callId'>,
  ) => EarlyRefusal | null | Promise<EarlyRefusal | null>
  readonly leave: (callId: string) => void
  /** What refuses any call of the key that counts and costs at least `leastCost`; null when one might pass. Takes nothing. */
  readonly foresee: (call: Parties & { readonly leastCost: NanoDollars }) => EarlyRefusal | null
  /**
   * Decides all levels in one step, in the order parallel, requests, tokens, budget; a refusal consumes nothing.
   * Throws UnpricedUnitError when the call cannot be priced.
   */
  readonly admit: (request: AdmissionRequest) => Decision | Promise<Decision>
  /**
   * Replaces the hold by the charge: the cost counts in the period of the admission, the slot is free, unused tokens return
   * to their second. The first settle or release of a hold counts, later ones do nothing.
   */
  readonly settle: (hold: Hold, actual: { readonly cost: NanoDollars; readonly tokens: number }) => void
  /**
   * Counts the tokens that a running call is known to have used beyond its reservation, before its charge is written: windows are
   * written down with the charge, so that a crash between charge and `settle` forgets none.
   */
  readonly exceed: (hold: Hold, tokens: number) => void
  /** As `settle` with nothing charged and all tokens returned; the request stays counted. */
  readonly release: (hold: Hold) => void
  /** Takes back what a call was settled with, in the periods it was admitted in. The ledger says once for each refund. */
  readonly refund: (charged: SettledCharge) => void
  /** Sets what the ledger's totals say, before calls are admitted. A total of an earlier period than is known is ignored. */
  readonly load: (totals: readonly OwnerTotal[]) => void
  /** Figures of the period that starts at `periodStart` (by `periodOf`): 0 when the owner has no call in it yet. */
  readonly spendOf: (
    owner: OwnerRef,
    periodStart: number,
  ) => { readonly spent: NanoDollars; readonly held: NanoDollars }
  /** Every model that the key has spent on, by id in order; of a family, or gone from the catalog, too. */
  readonly modelsOf: (keyHash: string) => readonly string[]
  readonly totals: () => LimitTotals
}
