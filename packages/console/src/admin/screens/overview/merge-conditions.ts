// Conditions of one kind become one row: sixty teams with one trouble are one matter.
import type { ConditionRecord } from '@fairgate/contracts/console/attention.ts'

export type Matter = {
  readonly first: ConditionRecord
  /** Of the same kind and severity, in their order. */
  readonly others: readonly ConditionRecord[]
}

/** Three of a kind are told as one; two are not worth a press. */
const mergedFrom = 3

/** In the order of the first of each. */
export function mergeConditions(conditions: readonly ConditionRecord[]): Matter[] {
  const groups = Map.groupBy(conditions, ({ kind, severity }) => `${kind} ${severity}`)
  return conditions.flatMap((condition): Matter[] => {
    const group = groups.get(`${condition.kind} ${condition.severity}`) ?? []
    if (group.length < mergedFrom) return [{ first: condition, others: [] }]
    return group[0] === condition ? [{ first: condition, others: group.slice(1) }] : []
  })
}
