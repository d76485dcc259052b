// One step of a simulated history, as plain data, so that a failing history can be printed and cut down.

export type Arrival = {
  readonly kind: 'arrive'
  readonly key: number
  /** Null for a call for information. */
  readonly model: number | null
  readonly choices: number
  readonly input: number
  readonly output: number
  /** The price of a call that is not priced by tokens; null for one that is. */
  readonly fixedCost: number | null
  readonly minimumOutput: number
  readonly isReducible: boolean
  readonly countsRequest: boolean
}

export type Change =
  | { readonly kind: 'change'; readonly key: number; readonly field: KeyField; readonly value: number | null }
  | { readonly kind: 'change'; readonly team: number; readonly field: Limit; readonly value: number | null }
  | { readonly kind: 'change'; readonly model: number; readonly field: Window; readonly value: number | null }
  | {
      readonly kind: 'change'
      readonly owner: 'key' | 'team'
      readonly index: number
      readonly duration: string | null
    }

type Window = 'rpmLimit' | 'tpmLimit'
/** Those of a model are set for all three models alike. */
export type Limit = Window | 'maxBudget' | 'modelRpmLimit' | 'modelTpmLimit'
export type KeyField = Limit | 'modelMaxBudget' | 'maxParallelRequests'

export type Step =
  | Arrival
  | Change
  /** Which of the running calls ends, what it cost as a share of its hold in percent, plus so much more. */
  | {
      readonly kind: 'settle'
      readonly pick: number
      readonly percent: number
      readonly extra: number
      readonly tokens: number
    }
  | { readonly kind: 'release'; readonly pick: number }
  /** A call that has ended is ended once more. */
  | { readonly kind: 'repeat'; readonly pick: number; readonly isSettle: boolean }
  | { readonly kind: 'clock'; readonly by: number }
  /** The call that was refused last comes again, at the moment it was told, or a millisecond before it can pass. */
  | { readonly kind: 'retry'; readonly at: 'announced' | 'reset' | 'before' }
  | { readonly kind: 'look'; readonly key: number; readonly model: number | null }
  /** What the windows hold is written down, as with a commit or with the row of a second. */
  | { readonly kind: 'write'; readonly scope: 'commit' | 'second' }
  /** A clean end, which writes first, or a kill; the next process begins with a clock that is so far off. */
  | { readonly kind: 'restart'; readonly isClean: boolean; readonly by: number }
