// Meter: computes usage and cost. Pure and total: usage × price, and never more than was held for the call.
import type { ChargeFlag } from '../../ledger/charge.ts'
import { addExactly, type Exact } from '../../ledger/exact.ts'
import { costOfContext, type HoldExcess, oneInMillionths, ratioOf } from '../../ledger/hold-ratio.ts'
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import { exactCostOf, type Unit, type Units, UnpricedUnitError, unitsOfTokens } from '../../ledger/price.ts'
import type { UsageReport } from '../../upstream/port.ts'
import type { Admitted } from './admitted.ts'

export type Metered = {
  readonly admitted: Admitted
  /** Units that were paid for; empty if the hold was charged. */
  readonly units: Units
  /** At most what was held. */
  readonly cost: NanoDollars
  /** Tokens that count in the window. */
  readonly tokens: number
  readonly flag: ChargeFlag | null
  /** The upstream's report if it was not charged as is: JSON for the operator. */
  readonly reported: string | null
  /** Usage above the hold, if plausible; otherwise null. */
  readonly excess: HoldExcess | null
}

/**
 * A success without usage, with absurd usage, with a unit that has no price, or with more than was held is charged at the hold
 * and flagged. Never throws: unreadable usage is absurd.
 */
export function meter(admitted: Admitted, reports: readonly UsageReport[]): Metered {
  const units: Partial<Record<Unit, number>> = {}
  let cost: Exact = 0
  let tokens = 0
  try {
    for (const report of reports) {
      if (report.kind === 'absent') return chargeHold(admitted, 'usage_absent')
      if (report.kind === 'invalid') return chargeHold(admitted, 'usage_invalid', { usage: report.said })
      const used = readUse(report)
      for (const unit in used.units) addUnit(units, unit as Unit, used.units[unit as Unit] ?? 0)
      cost = addExactly(cost, exactCostOf(admitted.model.price, used.units, used.inputTokens))
      tokens += used.tokens
    }
    if (!(Number.isFinite(tokens) && tokens >= 0)) return chargeHold(admitted, 'usage_invalid', { units })
  } catch (error) {
    const flag = error instanceof UnpricedUnitError ? 'unit_unpriced' : 'usage_invalid'
    return chargeHold(admitted, flag, { units })
  }
  if (cost > admitted.hold.amount) {
    const said = { units, cost_nano: String(cost) }
    if (!isBelievable(admitted, cost, tokens, reports.length)) {
      const excess = chargeHold(admitted, 'usage_above_hold', said)
      return isPossible(admitted, tokens, reports.length) ? { ...excess, tokens } : excess
    }
    const excess = measureExcess(admitted, BigInt(cost))
    return {
      ...chargeHold(admitted, 'usage_above_hold', { ...said, uncharged_nano: excess.amount }),
      tokens,
      excess,
    }
  }
  // A free call has no hold to compare with.
  if (admitted.hold.amount === 0 && !isPossible(admitted, tokens, reports.length))
    tokens = admitted.reservedTokens
  const charged = nanoDollars(Number(cost))
  const isEstimated = reports.some(report => report.kind === 'reported' && report.isEstimated === true)
  const flag = isEstimated ? 'estimated' : null
  return { admitted, units, cost: charged, tokens, flag, reported: null, excess: null }
}

/** The sum of all reports; zeros if nothing is reported in tokens. */
export function sumUsage(reports: readonly UsageReport[]) {
  const sum = { inputTokens: 0, cachedTokens: 0, writtenTokens: 0, outputTokens: 0, reasoningTokens: 0 }
  for (const report of reports) {
    if (report.kind !== 'reported') continue
    sum.inputTokens += report.usage.inputTokens
    sum.cachedTokens += report.usage.cachedTokens
    const { cacheWrite5m = 0, cacheWrite1h = 0 } = report.usage.cacheWrites ?? {}
    sum.writtenTokens += cacheWrite5m + cacheWrite1h
    sum.outputTokens += report.usage.outputTokens
    sum.reasoningTokens += report.usage.reasoningTokens
  }
  return sum
}

type Use = { readonly units: Units; readonly inputTokens: number; readonly tokens: number }

function readUse(report: Exclude<UsageReport, { kind: 'absent' | 'invalid' }>): Use {
  if (report.kind === 'counted') return { units: report.units, inputTokens: 0, tokens: 0 }
  const { inputTokens, outputTokens } = report.usage
  return { units: unitsOfTokens(report.usage), inputTokens, tokens: inputTokens + outputTokens }
}

/**
 * False for more tokens than so many calls of the model can have. Such a figure is a fault and counts in the token window as the
 * reserved amount. A window that believed it would lock its team out for a minute.
 */
function isPossible({ model, reservedTokens }: Admitted, tokens: number, calls: number): boolean {
  return tokens <= Math.max(reservedTokens, calls * (model.contextLimit + model.maxOutput))
}

/** An excess that the provider can bill: in tokens, and at most what so many calls of the model can cost. */
function isBelievable(admitted: Admitted, cost: Exact, tokens: number, calls: number): boolean {
  const most = costOfContext(admitted.model) * calls
  return tokens > 0 && cost <= most && isPossible(admitted, tokens, calls)
}

/** A hold of zero says nothing about later calls. */
function measureExcess({ hold, model, basis }: Admitted, cost: bigint): HoldExcess {
  return {
    modelId: hold.modelId ?? model.id,
    medium: basis.medium,
    amount: nanoDollars(Number(cost)) - hold.amount,
    ratio: hold.amount === 0 ? oneInMillionths : ratioOf(cost, hold.amount, basis.ratio),
  }
}

/** For a call of unknown cost. */
export function chargeHold(admitted: Admitted, flag: ChargeFlag, said: object | null = null): Metered {
  const { hold, reservedTokens } = admitted
  const reported = said === null ? null : writeReported(said)
  return { admitted, units: {}, cost: hold.amount, tokens: reservedTokens, flag, reported, excess: null }
}

const longestReported = 2000

/** Figures that JSON cannot show become text. */
function writeReported(said: object): string | null {
  try {
    const text = JSON.stringify(said, (_, value: unknown) =>
      typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
        ? String(value)
        : value,
    )
    return text.length <= longestReported ? text : JSON.stringify({ cut: text.slice(0, longestReported) })
  } catch {
    return null
  }
}

function addUnit(units: Partial<Record<Unit, number>>, unit: Unit, value: number): void {
  units[unit] = (units[unit] ?? 0) + value
}

/** Per choice, for a choice that ends before its usage is known. */
export type ExpectedTokens = {
  /** Typical input, or the upstream's own count if that decided the admission. */
  readonly estimatedInput: number
  /** Max output, as sent upstream. */
  readonly outputCap: number
}

/**
 * Usage of a stream that ended early: the last reported usage of each choice, otherwise an estimate of it, which never
 * exceeds the hold.
 */
export function meterInterrupted(
  admitted: Admitted,
  expected: ExpectedTokens,
  choices: readonly { readonly usage: UsageReport | null; readonly characters: number }[],
): Metered {
  const given = choices.flatMap(({ usage }) => (usage?.kind === 'reported' ? [usage] : []))
  const metered = meter(admitted, given)
  const isSound = metered.flag === null || metered.flag === 'estimated'
  if (given.length === choices.length || !isSound) return metered
  const guessed = choices
    .filter(({ usage }) => usage?.kind !== 'reported')
    .map(({ characters }): UsageReport => {
      const outputTokens = Math.min(Math.ceil(characters / 4), expected.outputCap)
      const inputTokens = admitted.countedInput ?? expected.estimatedInput
      return { kind: 'reported', usage: { inputTokens, cachedTokens: 0, outputTokens, reasoningTokens: 0 } }
    })
  const whole = meter(admitted, [...given, ...guessed])
  if (whole.flag !== null && whole.flag !== 'usage_above_hold' && whole.flag !== 'estimated') return whole
  return { ...whole, flag: 'estimated', reported: null, excess: null }
}
