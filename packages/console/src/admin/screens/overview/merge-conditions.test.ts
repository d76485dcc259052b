// Merging of similar conditions.
import { expect, test } from 'bun:test'
import type { ConditionRecord } from '@fairgate/contracts/console/attention.ts'
import { mergeConditions } from './merge-conditions.ts'

const condition = (
  id: string,
  kind: ConditionRecord['kind'],
  severity: ConditionRecord['severity'] = 'warning',
): ConditionRecord => ({
  condition_id: id,
  kind,
  severity,
  subjects: [],
  text: id,
  since: '2026-11-21T12:00:00.000Z',
  action: null,
  snoozed: null,
})
const merge = (...conditions: ConditionRecord[]) =>
  mergeConditions(conditions).map(({ first, others }) => [first, ...others].map(each => each.condition_id))

test('three of a kind become one row, in the place of the first', () => {
  expect(
    merge(
      condition('a', 'budget_spent', 'critical'),
      condition('b', 'refused_often'),
      condition('c', 'recorder_silent'),
      condition('d', 'refused_often'),
      condition('e', 'refused_often'),
    ),
  ).toEqual([['a'], ['b', 'd', 'e'], ['c']])
})

test('two of a kind stay separate', () => {
  expect(merge(condition('a', 'budget_low'), condition('b', 'budget_low'))).toEqual([['a'], ['b']])
})
