// Names that a spreadsheet would run as formulas are neutralised.
import { expect, test } from 'bun:test'
import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import { writeTeamsCsv } from './write-teams-csv.ts'

const row = (team_alias: string): TeamRow => ({
  team_id: 'a',
  team_alias,
  state: 'working',
  lights: {
    key: { s: 'ok', since: null, text: '' },
    call: { s: 'ok', since: null, text: '' },
    rec: { s: 'ok', since: null, text: '' },
    log: { s: 'ok', since: null, text: '' },
  },
  budget_nano: 25_000_000_000,
  spent_nano: 1,
  held_nano: 0,
  granted_nano: 0,
  uncharged_nano: 0,
  left_nano: 24_999_999_999,
  pace_nano_h: null,
  dry_at: null,
  spark: [],
  calls: 1,
  refused_1h: 0,
  coverage: null,
  coverage_as_of: null,
  last_call: null,
  last_entry: null,
  entries: 0,
  people: 1,
  keys: 1,
  board_locked: false,
})

test('figures are exact, and unknown values are empty', () => {
  expect(writeTeamsCsv([row('A')]).split('\r\n')[1]).toBe(
    'a,A,working,25000000000,1,0,0,24999999999,,,1,0,,,,0,1,1,false',
  )
})

test('formulas, quotes and line breaks stay in their cells', () => {
  expect(writeTeamsCsv([row('=SUM(1)')])).toContain(",'=SUM(1),")
  expect(writeTeamsCsv([row('a "b", c\nd')])).toContain(',"a ""b"", c\nd",')
})
