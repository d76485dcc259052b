// Writes an entry as JSON for organisers; what is stored stands in it as the text that it is, never parsed and written again.
import type { LogbookEntry } from './entries-port.ts'

/** One line, in the form of `loggedEntrySchema`. */
export function writeEntry({ teamId, seq, id, ts, receivedAt, chain, body }: LogbookEntry): string {
  const added = JSON.stringify({ team_id: teamId, seq, id, ts, received_at: receivedAt, chain })
  return `${added.slice(0, -1)},"entry":${body}}`
}

/** In the form of `logEntriesPageSchema`. */
export function writePage(entries: readonly LogbookEntry[], nextBefore: string | null): string {
  return `{"items":[${entries.map(writeEntry).join(',')}],"next_before":${JSON.stringify(nextBefore)}}`
}
