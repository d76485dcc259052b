// A team's figures in words, and the line of the budget left.
import { expect, test } from 'bun:test'
import type { LimitInUse } from '@fairgate/contracts/console/team-detail.ts'
import { chooseLimits, countMoreCalls, judgeBudget, nameLimit, traceLeft } from './read-self.ts'

const budget = {
  budget_nano: 25e9,
  granted_nano: 0,
  spent_nano: 13e9,
  held_nano: 0,
  left_nano: 12e9,
  pace_nano_h: 1_820_000_000,
  dry_at: null,
  spark: [],
}
const clockAt = (at: number) => new Date(at).toISOString().slice(11, 16)

test.each([
  [budget, 'ok', 'Lasts until the end at $1.82 an hour'],
  [{ ...budget, dry_at: '2026-11-21T15:58:00.000Z' }, 'warn', 'Budget lasts until about 15:58'],
  [{ ...budget, left_nano: 0 }, 'bad', 'Budget spent'],
  [{ ...budget, pace_nano_h: null }, 'plain', 'Too early for a forecast'],
  [{ ...budget, pace_nano_h: 0 }, 'plain', 'No spending now'],
  [{ ...budget, budget_nano: null, left_nano: null }, 'plain', 'No budget'],
] as const)('shows whether the budget lasts', (given, tone, text) => {
  expect(judgeBudget({ ...given, spark: [] }, 'open', clockAt)).toEqual({ tone, text })
})

test('no forecast while nothing can be spent', () => {
  expect(judgeBudget(budget, 'paused', clockAt).text).toBe('Paused')
  expect(judgeBudget(budget, 'closed', clockAt).text).toBe('Gateway closed')
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

test('the fullest limits come first, without budgets', () => {
  const full = limit({ used: 100, model: 'mm', level: 'team_model' })
  const half = limit({ used: 50, kind: 'tokens' })
  expect(chooseLimits([limit({}), half, limit({ kind: 'budget' }), full])).toEqual([full, half, limit({})])
  expect([full, half].map(each => nameLimit(each))).toEqual(['Requests, mm', 'Tokens'])
})

test('a key limit names the key’s owner', () => {
  const key = (key_id: string, more: object = {}) => ({
    key_id,
    alias: '',
    key_name: `sk-…${key_id}`,
    person: null,
    is_own: false,
    ...more,
  })
  const keys = [
    key('4Kq2', { is_own: true }),
    key('9Xa0', { person: 'Mateo', alias: 'x' }),
    key('Ju7e', { alias: 'ci' }),
  ]
  const nameOf = (id: string) => nameLimit(limit({ level: 'key', key: id, kind: 'parallel' }), keys)
  expect(['4Kq2', '9Xa0', 'Ju7e', 'gone'].map(nameOf)).toEqual([
    'Parallel calls, your key',
    'Parallel calls, Mateo …9Xa0',
    'Parallel calls, ci …Ju7e',
    'Parallel calls, another key',
  ])
  expect(nameLimit(limit({ level: 'service_model', model: 'mm' }))).toBe('Requests, mm, all teams')
})

test('the budget left is estimated in calls once a few were charged', () => {
  const calls = (...costs: readonly number[]) => costs.map(cost_nano => ({ cost_nano }))
  expect(countMoreCalls(100, calls(10, 20, 0, 30))).toBe(5)
  expect(countMoreCalls(100, calls(10, 20, 0))).toBeNull()
  expect(countMoreCalls(0, calls(1, 1, 1))).toBeNull()
})

test('the budget left falls from the whole budget to the current amount', () => {
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
