// Stage 5: what the call used and what that costs. Pure: usage × price, or the hold where the upstream's figures cannot be true.
import { addMoney, type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import { costOf, type Unit, type Units, UnpricedUnitError, unitsOfTokens } from '../../ledger/price.ts'
import type { TokenUsage, UsageReport } from '../../upstream/port.ts'
import type { Admitted } from './2-admit.ts'

export type ChargeFlag = 'usage_absent' | 'usage_invalid' | 'unit_unpriced' | 'estimated'

export type Metered = {
  readonly admitted: Admitted
  readonly units: Units
  readonly cost: NanoDollars
  /** Tokens that count in the window. */
  readonly tokens: number
  readonly flag: ChargeFlag | null
}

/** A success without usage, with absurd usage, or with a unit that has no price is charged at the hold and flagged. */
export function meter(admitted: Admitted, reports: readonly UsageReport[]): Metered {
  const units: Partial<Record<Unit, number>> = {}
  let cost = nanoDollars(0)
  let tokens = 0
  for (const report of reports) {
    const used = readUse(report)
    if (used === null)
      return chargeHold(admitted, report.kind === 'absent' ? 'usage_absent' : 'usage_invalid')
    for (const [unit, value] of Object.entries(used.units)) addUnit(units, unit as Unit, value)
    try {
      cost = addMoney(cost, costOf(admitted.model.price, used.units, used.inputTokens))
    } catch (error) {
      if (error instanceof UnpricedUnitError) return { ...chargeHold(admitted, 'unit_unpriced'), units }
      throw error
    }
    tokens += used.tokens
  }
  return { admitted, units, cost, tokens, flag: null }
}

type Use = { readonly units: Units; readonly inputTokens: number; readonly tokens: number }

function readUse(report: UsageReport): Use | null {
  switch (report.kind) {
    case 'reported': {
      const { inputTokens, outputTokens } = report.usage
      return { units: unitsOfTokens(report.usage), inputTokens, tokens: inputTokens + outputTokens }
    }
    case 'counted':
      return { units: report.units, inputTokens: 0, tokens: 0 }
    default:
      return null
  }
}

function chargeHold(admitted: Admitted, flag: ChargeFlag): Metered {
  return { admitted, units: {}, cost: admitted.hold.amount, tokens: admitted.reservedTokens, flag }
}

function addUnit(units: Partial<Record<Unit, number>>, unit: Unit, value: number): void {
  units[unit] = (units[unit] ?? 0) + value
}

/** What a stream used by the time it ended early: the last reported usage of each choice, else an estimate of it. */
export function meterInterrupted(
  admitted: Admitted & { readonly estimatedInput: number; readonly outputCap: number },
  choices: readonly { readonly usage: UsageReport | null; readonly characters: number }[],
): Metered {
  let estimated = false
  const reports = choices.map((choice): UsageReport => {
    if (choice.usage !== null && choice.usage.kind === 'reported') return choice.usage
    estimated = true
    const usage: TokenUsage = {
      inputTokens: admitted.estimatedInput,
      cachedTokens: 0,
      outputTokens: Math.min(Math.ceil(choice.characters / 4), admitted.outputCap),
      reasoningTokens: 0,
    }
    return { kind: 'reported', usage }
  })
  return { ...meter(admitted, reports), flag: estimated ? 'estimated' : null }
}
