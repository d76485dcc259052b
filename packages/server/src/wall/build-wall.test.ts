// The figures that a wall shows: their order, hidden money, and which teams count as at work.
import { expect, test } from 'bun:test'
import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import { emptyEvent } from '../directory/event/event.ts'
import { buildWallFigures, type WallFacts } from './build-wall.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
const light = { s: 'ok', since: null, text: 'A sentence for organisers.' } as const

const row = (team_alias: string, changes: Partial<TeamRow> = {}): TeamRow => ({
  team_id: `id-of-${team_alias}`,
  team_alias,
  state: 'working',
  lights: { key: light, call: light, rec: light, log: light },
  budget_nano: 10_000,
  spent_nano: 0,
  held_nano: 0,
  granted_nano: 0,
  uncharged_nano: 0,
  left_nano: 10_000,
  pace_nano_h: null,
  dry_at: null,
  spark: [],
  calls: 3,
  refused_1h: 0,
  coverage: null,
  coverage_as_of: null,
  last_call: null,
  last_entry: null,
  entries: 0,
  people: 1,
  keys: 1,
  board_locked: false,
  ...changes,
})

const build = (rows: readonly TeamRow[], showsBudgets = true, changes: Partial<WallFacts> = {}) =>
  buildWallFigures(
    {
      now,
      event: emptyEvent,
      rows,
      overview: { calls_per_min: 2.5, entries_per_min: 1 },
      boards: [],
      announcements: [],
      ...changes,
    },
    showsBudgets,
  )

test('tiles are ordered by name, numbers as people read them, regardless of spend', () => {
  const rows = [row('Team 10', { left_nano: 0 }), row('émile'), row('Team 9'), row('Zoo'), row('emilia')]
  const names = (given: readonly TeamRow[]) => build(given).tiles.map(({ name }) => name)
  expect(names(rows)).toEqual(['émile', 'emilia', 'Team 9', 'Team 10', 'Zoo'])
  expect(names(rows.toReversed())).toEqual(names(rows))
})

test('a bar shows the rest of the budget, in hundredths; none without a budget or if budgets are hidden', () => {
  const rows = [
    row('a', { left_nano: 3333 }),
    row('b', { budget_nano: null, left_nano: null }),
    row('c', { budget_nano: 0, left_nano: 0 }),
  ]
  expect(build(rows).tiles.map(({ bar }) => bar)).toEqual([0.33, null, null])
  expect(build(rows, false).tiles.map(({ bar }) => bar)).toEqual([null, null, null])
})

test('if budgets are hidden, no state shows money either', () => {
  const rows = (['budget_spent', 'near_budget', 'quiet', 'blocked'] as const).map(state =>
    row(state, { state }),
  )
  const states = (showsBudgets: boolean) => build(rows, showsBudgets).tiles.map(({ state }) => state)
  expect(states(true)).toEqual(['blocked', 'budget_spent', 'near_budget', 'quiet'])
  expect(states(false)).toEqual(['blocked', 'working', 'working', 'quiet'])
})

test('a team with calls or entries in the last quarter of an hour is at work', () => {
  const rows = [
    row('a', { last_call: minutesAgo(15) }),
    row('b', { last_call: minutesAgo(16), last_entry: minutesAgo(1) }),
    row('c', { last_call: minutesAgo(16) }),
    row('d', { state: 'blocked' }),
  ]
  expect(build(rows).counters).toMatchObject({ teams: 3, teams_at_work: 2, calls: 12 })
})

test('a team without a name shows its id, and one without entries is in no figure of logs', () => {
  const boards = [
    { teamId: 'b', headSeq: 2, headChain: 'f'.repeat(64) },
    { teamId: 'a', headSeq: 0, headChain: '0'.repeat(64) },
  ]
  const built = build([row('', { team_id: 'red' })], true, { boards })
  expect(built.tiles[0]?.name).toBe('red')
  expect(built.head).toMatchObject({ teams: 1, entries: 2 })
  expect(built.head.sha256).not.toBe(build([], true).head.sha256)
})
