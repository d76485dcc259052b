// Figures by team: what a scrape shows of each, and that neither many teams nor an unavailable database does harm.
import { expect, test } from 'bun:test'
import { renderFamilies } from '../http/metric-series.ts'
import { createMetrics } from '../http/metrics.ts'
import { nanoDollars } from '../ledger/money.ts'
import type { TeamBudgets } from '../limits/team-budgets.ts'
import { buildTeam } from '../limits/testing/build-parties.ts'
import { watchTeams } from './watch-teams.ts'

const usd = (amount: number) => nanoDollars(amount * 1e9)
const budgetsOf = (...teams: readonly (readonly [string, number, number | null])[]): TeamBudgets => ({
  event: { spent: nanoDollars(0), held: nanoDollars(0), cap: null },
  teams: teams.map(([teamId, spent, budget]) => ({
    team: buildTeam({ teamId }),
    periodStart: 0,
    periodEnd: null,
    spent: usd(spent),
    held: usd(0),
    budget: budget === null ? null : usd(budget),
  })),
})

function startWatch(readBudgets: () => Promise<TeamBudgets>) {
  const metrics = createMetrics()
  const watch = watchTeams({ every: () => () => undefined, metrics }, readBudgets)
  const lines = () =>
    renderFamilies(metrics.read())
      .split('\n')
      .filter(line => line.startsWith('fairgate_team_'))
  return { watch, lines }
}

test('shows nothing unless the settings ask for it', () => {
  expect(renderFamilies(createMetrics().read())).not.toContain('fairgate_team_')
})

test('spend, rest of the budget, and refusals by team', async () => {
  const { watch, lines } = startWatch(async () =>
    budgetsOf(['red', 2.5, 10], ['blue', 1, null], ['over', 3, 2]),
  )
  await watch.look()
  watch.noteUncharged({ teamId: 'red', outcome: 'refused' })
  watch.noteUncharged({ teamId: 'red', outcome: 'failed' })
  expect(lines()).toEqual([
    'fairgate_team_spend_usd{team="red"} 2.5',
    'fairgate_team_spend_usd{team="blue"} 1',
    'fairgate_team_spend_usd{team="over"} 3',
    'fairgate_team_left_usd{team="red"} 7.5',
    'fairgate_team_left_usd{team="over"} 0',
    'fairgate_team_refusals_total{team="red"} 1',
  ])
})

test('five hundred teams have their own series, and the others share one', async () => {
  const many = Array.from({ length: 600 }, (_, index) => [`team-${index}`, 1, 2] as const)
  const { watch, lines } = startWatch(async () => budgetsOf(...many))
  await watch.look()
  for (const [teamId] of many) watch.noteUncharged({ teamId, outcome: 'refused' })
  expect(lines()).toHaveLength(3 * 501)
  expect(lines()).toContain('fairgate_team_spend_usd{team="other"} 100')
  expect(lines()).toContain('fairgate_team_refusals_total{team="other"} 100')
})

test('while the database is unavailable, a scrape has the last known figures', async () => {
  let isAway = false
  const { watch, lines } = startWatch(async () => {
    if (isAway) throw new Error('away')
    return budgetsOf(['red', 1, 2])
  })
  await watch.look()
  isAway = true
  await watch.look()
  expect(lines()).toContain('fairgate_team_spend_usd{team="red"} 1')
})
