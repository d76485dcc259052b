// Undo must restore limits in the right unit, for the right team and model.
import { expect, test } from 'bun:test'
import { restoreKeyLimits, restoreTeamLimits } from './restore-limits.ts'

const change = (subject: string, what: string, from: number | null) => ({
  what,
  subject,
  from,
  to: 900,
  count: 1,
})

test('teams get back their own limits, money in dollars, models by name', () => {
  expect(
    restoreTeamLimits([
      change('red', 'max_budget_nano', 12_500_000_000),
      change('red', 'model_rpm_limit.mm-2.5-flash', 20),
      change('red', 'model_rpm_limit.mm-3.1-pro', null),
      change('blue', 'rpm_limit', null),
      change('green', 'rpm_limit', null),
    ]).map(({ path, body }) => [path, body]),
  ).toEqual([
    [
      '/teams/update',
      {
        teams: ['red'],
        max_budget: 12.5,
        set_model_rpm_limit: { 'mm-2.5-flash': 20, 'mm-3.1-pro': null },
      },
    ],
    ['/teams/update', { teams: ['blue', 'green'], rpm_limit: null }],
  ])
})

test('a key gets back its limits', () => {
  expect(
    restoreKeyLimits([
      change('5f2c', 'max_parallel_requests', 4),
      change('5f2c', 'model_max_budget_nano.mm-2.5-flash', 1_000_000_000),
    ]).map(({ path, body }) => [path, body]),
  ).toEqual([
    ['/key/update', { key: '5f2c', max_parallel_requests: 4, set_model_max_budget: { 'mm-2.5-flash': 1 } }],
  ])
})
