// Merges conditions of one kind into one row, so that one problem in sixty teams does not fill the list.
import type { ConditionRecord } from '@fairgate/contracts/console/attention.ts'

export type Matter = {
  readonly first: ConditionRecord
  /** Conditions of the same kind and severity, in list order. */
  readonly others: readonly ConditionRecord[]
}

/** Three or more of a kind are merged. Hiding one of two would not be worth a click. */
const mergedFrom = 3

/** Sorted by the first condition of each group. */
export function mergeConditions(conditions: readonly ConditionRecord[]): Matter[] {
  const groups = Map.groupBy(conditions, ({ kind, severity }) => `${kind} ${severity}`)
  return conditions.flatMap((condition): Matter[] => {
    const group = groups.get(`${condition.kind} ${condition.severity}`) ?? []
    if (group.length < mergedFrom) return [{ first: condition, others: [] }]
    return group[0] === condition ? [{ first: condition, others: group.slice(1) }] : []
  })
}
