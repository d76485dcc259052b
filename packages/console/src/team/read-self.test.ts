// The figures of a team in words, and the line of what was left.
import { expect, test } from 'bun:test'
import type { LimitInUse } from '@fairgate/contracts/console/team-detail.ts'
import { chooseLimits, judgeBudget, nameLimit, traceLeft } from './read-self.ts'

const budget = {
  budget_nano: 25e9,
  spent_nano: 13e9,
  held_nano: 0,
  left_nano: 12e9,
  pace_nano_h: 1_820_000_000,
  dry_at: null,
  spark: [],
}
const clockAt = (at: number) => new Date(at).toISOString().slice(11, 16)

test.each([
  [budget, 'ok', 'Lasts to the end at $1.82 an hour'],
  [{ ...budget, dry_at: '2026-11-21T15:58:00.000Z' }, 'warn', 'Runs dry about 15:58'],
  [{ ...budget, left_nano: 0 }, 'bad', 'Nothing is left'],
  [{ ...budget, pace_nano_h: null }, 'plain', 'Nothing is being spent'],
  [{ ...budget, budget_nano: null, left_nano: null }, 'plain', 'No budget is set'],
] as const)('whether the money lasts', (given, tone, text) => {
  expect(judgeBudget({ ...given, spark: [] }, clockAt)).toEqual({ tone, text })
})

const limit = (more: Partial<LimitInUse>): LimitInUse => ({
  level: 'team',
  key: null,
  model: null,
  kind: 'requests',
  limit: 100,
  used: 0,
  held: 0,
  frees_at: null,
  ...more,
})

test('the fullest limits come first, budgets elsewhere', () => {
  const full = limit({ used: 100, model: 'mm', level: 'team_model' })
  const half = limit({ used: 50, kind: 'tokens' })
  expect(chooseLimits([limit({}), half, limit({ kind: 'budget' }), full])).toEqual([full, half, limit({})])
  expect([full, half, limit({ level: 'key', kind: 'parallel' })].map(nameLimit)).toEqual([
    'Requests, mm',
    'Tokens',
    'Running at once, this key',
  ])
})

test('what was left falls from all to the present rest', () => {
  const traced = traceLeft(
    [
      { at: 100, cost: 3 },
      { at: 300, cost: 2 },
    ],
    5,
    { from: 0, now: 500, stepMs: 100 },
  )
  expect(traced).toEqual([
    { at: 0, value: 10 },
    { at: 100, value: 10 },
    { at: 200, value: 7 },
    { at: 300, value: 7 },
    { at: 400, value: 5 },
    { at: 500, value: 5 },
  ])
})
