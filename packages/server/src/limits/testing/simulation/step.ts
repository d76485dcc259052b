// One step of a simulated history as plain data, and the generators of steps: mostly calls that come and go, at times a limit that changes,
// a clock that jumps, a process that dies. Steps that an engine cannot do are left out.
import fc from 'fast-check'
import { keyCount, modelCount, teamCount } from './world.ts'

export type Arrival = {
  readonly kind: 'arrive'
  /** The process that it arrives at. */
  readonly process: number
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
  /** Takes its slot before it is known what it wants. */
  readonly enters: boolean
  /** It knows the event as it was before the clock moved on: a phase may be over. */
  readonly isStale: boolean
  /** Retries when refused; nothing else happens before that. */
  readonly retries: Moment | null
}

/** The announced moment, the moment that the window frees, or a millisecond before that. */
export type Moment = 'announced' | 'reset' | 'before'

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

  /** Cap of the event, over all teams. */
  | { readonly kind: 'change'; readonly cap: number | null }
  /** A phase that begins this much later and replaces all later ones. */
  | {
      readonly kind: 'change'
      readonly accounting: 'new' | 'continue'
      readonly delay: number
      readonly length: number | null
      readonly budget: number | null
    }

type Window = 'rpmLimit' | 'tpmLimit'
/** Those of a model are set for all three models alike. */
type Limit = Window | 'maxBudget' | 'modelRpmLimit' | 'modelTpmLimit'
type KeyField = Limit | 'modelMaxBudget' | 'maxParallelRequests'

export type Step =
  | Arrival
  | Change
  /** Which of the running calls ends, its cost as a percentage of its hold, plus this much more. */
  | {
      readonly kind: 'settle'
      readonly pick: number
      readonly percent: number
      readonly extra: number
      readonly tokens: number
      /** The answer of the commit is lost, and it is sent again. */
      readonly isSentTwice: boolean
    }
  /** Corrects the spend of a key: never below zero. */
  | { readonly kind: 'adjust'; readonly key: number; readonly model: number; readonly amount: number }
  /** Added to the budget of a team, in its current period. */
  | { readonly kind: 'grant'; readonly team: number; readonly amount: number }
  /** Refunds the charge of a call. */
  | { readonly kind: 'refund'; readonly pick: number }
  | { readonly kind: 'release'; readonly pick: number }
  /** Ends a call once more that has already ended. */
  | { readonly kind: 'repeat'; readonly pick: number; readonly isSettle: boolean }
  | { readonly kind: 'clock'; readonly by: number }
  /** Moves the clock to the end of the current phase, off by this many milliseconds. */
  | { readonly kind: 'end'; readonly by: number }
  | { readonly kind: 'look'; readonly key: number; readonly model: number | null }
  /** Writes the contents of the windows, as with a commit or with the row of a second. */
  | { readonly kind: 'write'; readonly scope: 'commit' | 'second' }
  /** A clean end, which writes first, or a kill; the next process begins with a clock that is off by this much. */
  | { readonly kind: 'restart'; readonly process: number; readonly isClean: boolean; readonly by: number }
  /** A process sleeps until its lease is over and others have ended its calls. */
  | { readonly kind: 'stall'; readonly process: number }
  /** The database stops at once. */
  | { readonly kind: 'crash' }

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const below = (count: number) => fc.nat({ max: count - 1 })
const one = <Value extends string | number | boolean | null>(...values: readonly Value[]) =>
  fc.constantFrom(...values)
/** Pairs of a weight and the generator used that often. */
const mostly = <Value>(...choices: readonly (readonly [number, fc.Arbitrary<Value>])[]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))
const now = <Value>(often: number, value: fc.Arbitrary<Value>, otherwise: Value) =>
  mostly([1, value], [often - 1, fc.constant(otherwise)])

const requestLimit = one(null, null, null, null, 0, 1, 2, 3, 5, 8, 20)
const tokenLimit = one(null, null, null, null, 0, 20, 100, 300, 600, 2000)
const budget = one(null, null, null, 0, 50, 300, 1000, 5000, 20_000)
/** Cap over all teams: a history spends more than one team may. */
const eventCap = one(null, null, 0, 500, 2000, 20_000, 100_000)
const slots = one(0, 1, 2, 3, 5, 1000, 1000, 1000)
const duration = one(null, '1d', '1w', '1m', '1h', '7h', '3d', '30d')
const [key, team, model, running] = [below(keyCount), below(teamCount), below(modelCount), below(64)]
/** Picks one of one, two or three processes. */
const process = below(6)

const arrival: fc.Arbitrary<Arrival> = fc
  .record({
    kind: one('arrive'),
    process,
    key,
    model: now(12, fc.constant(null), 0).chain(asked => (asked === null ? fc.constant(null) : model)),
    choices: now(4, fc.integer({ min: 1, max: 3 }), 1),
    input: below(40),
    output: mostly([1, fc.constant(0)], [2, fc.integer({ min: 1, max: 60 })]),
    fixedCost: now(4, below(120), null as number | null),
    minimumOutput: one(0, 1, 8, 60),
    isReducible: one(true, true, false),
    countsRequest: now(20, fc.constant(false), true),
    enters: one(false, true),
    isStale: now(4, fc.constant(true), false),
    retries: now(6, one<Moment>('announced', 'reset', 'before'), null as Moment | null),
  })
  .map(call => ({
    ...call,
    minimumOutput: Math.min(call.output, call.minimumOutput),
    countsRequest: call.model !== null && call.countsRequest,
  }))

const phase: fc.Arbitrary<Change> = fc.record({
  kind: one('change'),
  accounting: one('new', 'new', 'continue'),
  delay: one(0, 0, 1, 5 * second, hour),
  length: one(null, 5 * second, 30 * second, minute, 2 * hour, day),
  budget,
})

/** Each limit about as often as it can be set. */
export const change: fc.Arbitrary<Change> = mostly<Change>(
  [8, fc.record({ kind: one('change'), key, field: one('maxBudget'), value: budget })],
  [8, fc.record({ kind: one('change'), team, field: one('maxBudget'), value: budget })],
  [4, fc.record({ kind: one('change'), key, field: one('modelMaxBudget'), value: budget })],
  [4, fc.record({ kind: one('change'), key, field: one('maxParallelRequests'), value: slots })],
  [4, fc.record({ kind: one('change'), key, field: one('rpmLimit'), value: requestLimit })],
  [4, fc.record({ kind: one('change'), key, field: one('tpmLimit'), value: tokenLimit })],
  [4, fc.record({ kind: one('change'), team, field: one('rpmLimit'), value: requestLimit })],
  [4, fc.record({ kind: one('change'), team, field: one('tpmLimit'), value: tokenLimit })],
  [4, fc.record({ kind: one('change'), model, field: one('rpmLimit'), value: requestLimit })],
  [4, fc.record({ kind: one('change'), model, field: one('tpmLimit'), value: tokenLimit })],
  [1, fc.record({ kind: one('change'), key, field: one('modelRpmLimit'), value: requestLimit })],
  [1, fc.record({ kind: one('change'), key, field: one('modelTpmLimit'), value: tokenLimit })],
  [1, fc.record({ kind: one('change'), team, field: one('modelRpmLimit'), value: requestLimit })],
  [1, fc.record({ kind: one('change'), team, field: one('modelTpmLimit'), value: tokenLimit })],
  [6, fc.record({ kind: one('change'), owner: one('key'), index: key, duration })],
  [6, fc.record({ kind: one('change'), owner: one('team'), index: team, duration })],
  [6, fc.record({ kind: one('change'), cap: eventCap })],
  [6, phase],
)

const clockStep = mostly(
  [55, below(4 * second)],
  [20, one(1, 999, second, minute - 1, minute, minute + 1, hour - 1, day)],
  [10, below(minute)],
  [6, below(100 * second).map(by => -by)],
  [1, below(2 * day).map(by => -by)],
  [5, below(2 * hour)],
  [2, below(2 * day)],
  [1, below(40 * day)],
)

export const step: fc.Arbitrary<Step> = mostly<Step>(
  [490, arrival],
  // Less than, equal to and more than was held, in money and in tokens.
  [
    180,
    fc.record({
      kind: one('settle'),
      pick: running,
      percent: one(0, 100, 100, 30, 75),
      extra: now(8, below(200), 0),
      tokens: fc.oneof(fc.constant(0), below(40), below(100), below(400)),
      isSentTwice: now(10, fc.constant(true), false),
    }),
  ],
  [50, fc.record({ kind: one('release'), pick: running })],
  [15, fc.record({ kind: one('refund'), pick: running })],
  [8, fc.record({ kind: one('adjust'), key, model, amount: fc.integer({ min: -300, max: 300 }) })],
  [5, fc.record({ kind: one('grant'), team, amount: below(500) })],
  [20, fc.record({ kind: one('repeat'), pick: running, isSettle: fc.boolean() })],
  [190, fc.record({ kind: one('clock'), by: clockStep })],
  [25, fc.record({ kind: one('end'), by: one(-1, 0, 0, 1) })],
  [15, fc.record({ kind: one('write'), scope: one('commit', 'second') })],
  [23, change],
  [10, phase],
  [
    20,
    fc.record({ kind: one('look'), key, model: mostly<number | null>([1, fc.constant(null)], [3, model]) }),
  ],
  // Mostly at once, while the windows still hold what they held.
  [
    12,
    fc.record({
      kind: one('restart'),
      process,
      isClean: fc.boolean(),
      by: mostly([5, below(5 * second)], [1, below(100 * second).map(by => -by)]),
    }),
  ],
  [8, fc.record({ kind: one('stall'), process })],
  [1, fc.record({ kind: one('crash') })],
)
