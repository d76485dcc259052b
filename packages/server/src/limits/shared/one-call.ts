// Writes one call for `admit_one_2` and reads its answer: a server at rest decides one call at a time, and most are admitted.
import type { CallAnswer, Demand, SeenWindow, TokenChange } from './admission-batch.ts'
import { maximumOf, type Period, shareOf, writeNumbers, writeTexts } from './admission-batch.ts'
import { findLevelNames, lockOf, type NamedLevel, type NamedRate } from './level-names.ts'

/** Beyond that many levels the function of large batches is quicker. */
const mostLevels = 12

type OneLevel = {
  readonly named: NamedLevel
  rate: NamedRate | null
  wanted: number
  maximum: number | null
  period: Period | null
  readonly changes: TokenChange[]
}

export type OneCall = {
  /** In the order of the function's parameters, after the process. */
  readonly parameters: readonly string[]
  /** Null: it has done nothing, and `admit_2` must decide. */
  readonly readAnswer: (text: string) => OneAnswer | null
}

export type OneAnswer = {
  readonly now: number
  readonly directoryVersion: number
  readonly call: Extract<CallAnswer, { readonly code: 'admitted' }>
}

/** Null where the call and the changes of tokens that go with it touch too much. */
export function writeOneCall(demand: Demand, changes: readonly TokenChange[]): OneCall | null {
  const { levels, periods } = demand
  const names = findLevelNames(levels)
  const all = new Map<string, OneLevel>()
  const find = (named: NamedLevel): OneLevel => {
    const known = all.get(named.name)
    if (known !== undefined) return known
    const made = { named, rate: null, wanted: 0, maximum: null, period: null, changes: [] }
    all.set(named.name, made)
    return made
  }
  for (const [index, rate] of names.rates.entries())
    Object.assign(find(rate), { rate, wanted: demand.wanted[index] ?? 0 })
  find(names.team).period = periods.team
  find(names.key).period = periods.key
  if (names.keyModel !== null) find(names.keyModel).period = periods.key
  for (const budget of names.budgets) {
    const level = find(budget.name)
    level.maximum = maximumOf(budget, periods)
    level.period ??= { start: 0, end: null }
  }
  for (const change of changes) find(change.level).changes.push(change)
  if (all.size > mostLevels) return null
  return {
    parameters: writeParameters(demand, [...all.values()], names.event !== null),
    readAnswer: text => readAnswer(names.rates, text),
  }
}

function writeParameters(demand: Demand, levels: readonly OneLevel[], isOfEvent: boolean): string[] {
  const { callId, levels: ids, kind, periods, tokens } = demand
  const takesTokens = tokens.input + tokens.output > 0
  const locks = new Set<number>()
  const names: string[] = []
  const numbers: (number | null)[] = []
  const changed: (number | null)[] = []
  for (const [index, { named, rate, wanted, maximum, period, changes }] of levels.entries()) {
    locks.add(lockOf(named))
    names.push(named.teamId, named.name)
    numbers.push(
      named.kind,
      shareOf(rate?.requests ?? null),
      period?.start ?? -1,
      period?.end ?? null,
      changes.length === 0 ? 0 : changed.length / 3 + 1,
      rate === null ? 0 : 1,
      rate?.requests ?? null,
      rate?.tokens ?? null,
      wanted,
      maximum,
    )
    for (const { second, tokens: more } of changes) changed.push(index + 1, second, more)
  }
  return [
    writeNumbers([...locks].sort((left, right) => left - right)),
    writeTexts(names),
    writeNumbers(numbers),
    writeNumbers(changed),
    writeTexts([callId, ids.teamId, ids.keyHash, ids.modelId, kind]),
    writeNumbers([
      demand.slots,
      demand.amount,
      demand.asksBudgets ? 1 : 0,
      demand.countsRequest ? 1 : 0,
      takesTokens ? 1 : 0,
      tokens.input + tokens.output,
      periods.team.start,
      periods.key.start,
      isOfEvent ? 1 : 0,
    ]),
  ]
}

function readAnswer(rates: readonly NamedRate[], text: string): OneAnswer | null {
  const numbers = text.split(',').map(Number)
  if (numbers[0] === 3) return null
  const [state, now, directoryVersion, ...counts] = numbers
  if (
    state !== 0 ||
    now === undefined ||
    directoryVersion === undefined ||
    counts.length !== 4 * rates.length
  )
    throw new Error('admit_one_2 has answered what cannot be read.')
  const windows = rates.map((rate, index): SeenWindow => {
    const [requests = 0, requestsEmpty = 0, tokens = 0, tokensEmpty = 0] = counts.slice(4 * index)
    return {
      rate,
      requests,
      requestsEmptyAt: now + requestsEmpty,
      requestFreeAt: now,
      tokens,
      tokensEmptyAt: now + tokensEmpty,
      tokensFreeAt: now,
    }
  })
  return { now, directoryVersion, call: { code: 'admitted', now, windows } }
}
