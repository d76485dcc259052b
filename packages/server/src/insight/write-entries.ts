// Writes entries for organisers, as JSON and as CSV (RFC 4180). The stored text goes in as it is, never parsed and written again.

import { entryMembers } from '@fairgate/contracts/logbook/entry-members.ts'
import type { CallerRole } from '@fairgate/contracts/management/roles.ts'
import { writeCell } from '../http/write-cell.ts'
import type { LogbookEntry } from '../logbook/list-entries/create-entries-reader.ts'

/** People's addresses are only for organisers. */
export function showEntryTo(role: CallerRole, entry: LogbookEntry): LogbookEntry {
  return role === 'organiser' ? entry : { ...entry, clientAddress: null }
}

/** One line, in the form of `loggedEntrySchema`. */
export function writeEntry({ teamId, seq, id, ts, receivedAt, body, ...entry }: LogbookEntry): string {
  const { chain, tokenId, clientAddress, isLate } = entry
  const added = { team_id: teamId, seq, id, ts, received_at: receivedAt, chain }
  const sender = { token_id: tokenId, client_address: clientAddress, ...(isLate ? { late: true } : {}) }
  return `${JSON.stringify({ ...added, ...sender }).slice(0, -1)},"entry":${body}}`
}

/** In the form of `logEntriesPageSchema`. */
export function writePage(entries: readonly LogbookEntry[], nextBefore: string | null): string {
  return `{"items":[${entries.map(writeEntry).join(',')}],"next_before":${JSON.stringify(nextBefore)}}`
}

const columns = [
  'team_id',
  'seq',
  'id',
  'ts',
  'received_at',
  ...entryMembers,
  'chain',
  'token_id',
  'client_address',
  'late',
  'entry',
]

/** The first line, with its end. */
export function writeCsvHeader(): string {
  return writeRow(columns)
}

/** One row, with its end, that a spreadsheet never takes for a formula. The last column, `entry`, is the stored JSON text byte for byte. */
export function writeCsvRow({ teamId, seq, id, ts, receivedAt, body, ...row }: LogbookEntry): string {
  // The logbook checked the entry when it stored it.
  const entry: Readonly<Record<string, unknown>> = JSON.parse(body)
  const shown = entryMembers.map(name => showValue(Object.hasOwn(entry, name) ? entry[name] : null))
  const sender = [row.tokenId, row.clientAddress].map(showValue)
  const late = row.isLate ? 'true' : ''
  return writeRow([teamId, String(seq), id, ts, receivedAt, ...shown, row.chain, ...sender, late, body])
}

/**
 * Writes text as it is, and objects and lists as JSON. NUL becomes U+FFFD, because many readers of CSV stop at it; lone surrogates become
 * U+FFFD in UTF-8 anyway. The column `entry` has both, escaped.
 */
function showValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\0', '\ufffd')
}

function writeRow(cells: readonly string[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`
}
