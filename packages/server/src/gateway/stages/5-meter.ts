// Stage 5: what the call used and what that costs. Pure: usage × price, or the hold where the upstream's figures cannot be true.
import { addMoney, type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import { costOf, type Unit, unitsOfTokens } from '../../ledger/price.ts'
import type { TokenUsage, UsageReport } from '../../upstream/port.ts'
import type { Admitted } from './2-admit.ts'

export type ChargeFlag = 'usage_absent' | 'usage_invalid' | 'estimated'

export type Metered = {
  readonly admitted: Admitted
  readonly units: Readonly<Partial<Record<Unit, number>>>
  readonly cost: NanoDollars
  /** Tokens that count in the window. */
  readonly tokens: number
  readonly flag: ChargeFlag | null
}

/** A success without usage, or with absurd usage, is charged at the hold and flagged. */
export function meter(admitted: Admitted, reports: readonly UsageReport[]): Metered {
  const units: Partial<Record<Unit, number>> = {}
  let cost = nanoDollars(0)
  let tokens = 0
  for (const report of reports) {
    if (report.kind !== 'reported') {
      const flag = report.kind === 'absent' ? 'usage_absent' : 'usage_invalid'
      return { admitted, units: {}, cost: admitted.hold.amount, tokens: admitted.reservedTokens, flag }
    }
    const callUnits = unitsOfTokens(report.usage)
    for (const [unit, value] of Object.entries(callUnits)) addUnit(units, unit as Unit, value)
    cost = addMoney(cost, costOf(admitted.model.price, callUnits, report.usage.inputTokens))
    tokens += report.usage.inputTokens + report.usage.outputTokens
  }
  return { admitted, units, cost, tokens, flag: null }
}

function addUnit(units: Partial<Record<Unit, number>>, unit: Unit, value: number): void {
  units[unit] = (units[unit] ?? 0) + value
}

/** What a stream used by the time it ended early: the last reported usage of each choice, else an estimate of it. */
export function meterInterrupted(
  admitted: Admitted,
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
