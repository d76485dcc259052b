// Builds what a reader gets of a stored entry: exactly the members of spec 2.11, null where there is no value.
import type { StoredEntry } from '@fairgate/contracts/logbook/entries-page.ts'
import type { EntryRow } from '../../store/statements/list-entries.ts'
import { parseTimestamp } from '../accept-entries/parse-timestamp.ts'
import { formatMicroseconds } from '../parse-instant.ts'

export function buildStoredEntry(row: Pick<EntryRow, 'body' | 'tsMicros' | 'receivedMicros'>): StoredEntry {
  // Entries were checked when they were stored, and their chain shows any later change.
  const entry = JSON.parse(row.body) as Omit<StoredEntry, 'received_at'>
  return {
    ts: parseTimestamp(entry.ts)?.utcText ?? formatMicroseconds(row.tsMicros),
    tool: entry.tool.toLowerCase(),
    event: entry.event,
    session_id: entry.session_id,
    repo: entry.repo,
    branch: entry.branch,
    commit: entry.commit,
    student: entry.student,
    model: entry.model ?? null,
    prompt: entry.prompt ?? null,
    tool_name: entry.tool_name ?? null,
    tool_input: entry.tool_input ?? null,
    tool_response: entry.tool_response ?? null,
    tool_error: entry.tool_error ?? null,
    response_summary: entry.response_summary ?? null,
    stop_reason: entry.stop_reason ?? null,
    received_at: formatMicroseconds(row.receivedMicros),
  }
}
