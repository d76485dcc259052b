// Rows of teams as a file for spreadsheets: exact figures, and no cell that could be taken for a formula.
import type { TeamRow } from '@fairgate/contracts/console/teams.ts'

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

/** With a byte order mark, so that spreadsheets read it as UTF-8. Times in UTC, money in nano-dollars. */
export function writeTeamsCsv(rows: readonly TeamRow[]): string {
  const lines = [columns, ...rows.map(row => columns.map(column => row[column]))]
  return `\ufeff${lines.map(cells => `${cells.map(writeCell).join(',')}\r\n`).join('')}`
}

function writeCell(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const safe = /^[=+\-@\t\r']/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
