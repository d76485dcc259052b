// Writes entries as CSV (RFC 4180) that a spreadsheet never takes for formulas, and that can be read back exactly.
import type { LogbookEntry } from './entries-port.ts'

/** Members of the entry with a column of their own, for people. */
const members = [
  'tool',
  'event',
  'session_id',
  'repo',
  'branch',
  'commit',
  'student',
  'model',
  'prompt',
  'tool_name',
  'tool_input',
  'tool_response',
  'tool_error',
  'response_summary',
  'stop_reason',
] as const

const columns = ['team_id', 'seq', 'id', 'ts', 'received_at', ...members, 'chain', 'entry']

/** What a spreadsheet may take for a formula: an operator in front, behind blanks and control characters too, in wide form too. */
const looksLikeFormula = /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n']/u

/** The first line, with its end. */
export function writeCsvHeader(): string {
  return writeRow(columns)
}

/** One row, with its end. The last column, `entry`, is the stored JSON text byte for byte. */
export function writeCsvRow({ teamId, seq, id, ts, receivedAt, chain, body }: LogbookEntry): string {
  // Entries were checked when they were stored.
  const entry: Readonly<Record<string, unknown>> = JSON.parse(body)
  const shown = members.map(name => showValue(Object.hasOwn(entry, name) ? entry[name] : null))
  return writeRow([teamId, String(seq), id, ts, receivedAt, ...shown, chain, body])
}

/**
 * Text as it is; objects and lists as JSON. NUL, at which many readers of CSV stop, becomes U+FFFD, as lone surrogates do in
 * UTF-8: the column `entry` has both, escaped.
 */
function showValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\0', '\ufffd')
}

function writeRow(cells: readonly string[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`
}

/**
 * An apostrophe goes in front of what looks like a formula, and of what begins with an apostrophe: whoever reads the cells back
 * takes one away where there is one, and has what was there.
 */
function writeCell(text: string): string {
  return `"${looksLikeFormula.test(text) ? "'" : ''}${text.replaceAll('"', '""')}"`
}
