// The pace of a team, and when it uses up its budget.
import { expect, test } from 'bun:test'
import { type BudgetNow, forecastBudget } from './forecast-budget.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const minutes = (count: number) => count * 60_000
const base: BudgetNow = {
  now,
  budget: 1000,
  spent: 400,
  held: 50,
  periodStart: now - minutes(600),
  periodEnd: null,
  buckets: [],
}
const spentAgo = (ago: number, cost: number) => ({ start: now - minutes(ago), cost })

test('three paces, and three ends', () => {
  // 60 in the last quarter, 120 in the last hour, 240 in the last four.
  const buckets = [spentAgo(5, 60), spentAgo(40, 60), spentAgo(200, 120)]
  expect(forecastBudget({ ...base, buckets })).toEqual({
    left_nano: 550,
    pace_nano_h: { low: 60, mid: 120, high: 240 },
    dry_at: {
      low: '2026-11-21T22:00:00.000Z',
      mid: '2026-11-21T17:00:00.000Z',
      high: '2026-11-21T14:30:00.000Z',
    },
    verdict: 'runs_dry',
  })
})

test('never at this pace: nothing is spent, or the period ends earlier', () => {
  expect(forecastBudget(base)).toMatchObject({
    pace_nano_h: { mid: 0 },
    dry_at: { mid: null },
    verdict: 'lasts',
  })
  const buckets = [spentAgo(5, 60), spentAgo(40, 60), spentAgo(200, 120)]
  const ending = (hours: number) => forecastBudget({ ...base, buckets, periodEnd: now + minutes(60 * hours) })
  expect(ending(2).verdict).toBe('lasts')
  expect(ending(3)).toMatchObject({ verdict: 'at_high_pace', dry_at: { low: null, mid: null } })
  expect(ending(6).verdict).toBe('runs_dry')
})

test('without a budget, and with none left', () => {
  expect(forecastBudget({ ...base, budget: null })).toMatchObject({ left_nano: null, verdict: 'no_budget' })
  expect(forecastBudget({ ...base, spent: 1000, held: 0 })).toMatchObject({ left_nano: 0, verdict: 'spent' })
})

test('a period that has just begun uses the pace of its own minutes', () => {
  const buckets = [spentAgo(5, 60), spentAgo(40, 6000)]
  const young = { ...base, buckets, periodStart: now - minutes(5) }
  expect(forecastBudget(young).pace_nano_h).toEqual({ low: 720, mid: 720, high: 720 })
  expect(forecastBudget({ ...young, periodStart: now - 1000 })).toMatchObject({
    pace_nano_h: { low: null, mid: null, high: null },
    verdict: 'lasts',
  })
})

test('a pace at which the budget would last for thousands of years', () => {
  const slow = { ...base, budget: Number.MAX_SAFE_INTEGER, buckets: [spentAgo(5, 1)] }
  expect(forecastBudget(slow)).toMatchObject({ dry_at: { low: null } })
})
