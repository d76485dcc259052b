// Writes team rows as CSV for spreadsheets, with exact figures and no cell that could run as a formula.
import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import { writeCsv } from '../../../format/write-csv.ts'

const columns = [
  'team_id',
  'team_alias',
  'state',
  'budget_nano',
  'spent_nano',
  'held_nano',
  'uncharged_nano',
  'left_nano',
  'pace_nano_h',
  'dry_at',
  'calls',
  'refused_1h',
  'coverage',
  'last_call',
  'last_entry',
  'entries',
  'people',
  'keys',
  'board_locked',
] as const satisfies readonly (keyof TeamRow)[]

/** Times in UTC, money in nano-dollars. */
export function writeTeamsCsv(rows: readonly TeamRow[]): string {
  return writeCsv([columns, ...rows.map(row => columns.map(column => row[column]))])
}
