// An entry of a log as one line of the logbook.
import type { LogbookLine } from '@fairgate/contracts/console/logbook.ts'
import { describeEntry } from './describe-entry.ts'
import type { LogbookEntry } from './entries-port.ts'

export function writeLine(
  entry: Pick<LogbookEntry, 'teamId' | 'seq' | 'ts' | 'receivedAt' | 'isLate' | 'body'>,
): LogbookLine {
  const { tool, event, sessionId, student, text } = describeEntry(entry.body)
  return {
    team_id: entry.teamId,
    seq: entry.seq,
    ts: entry.ts,
    received_at: entry.receivedAt,
    is_late: entry.isLate,
    tool,
    event,
    session_id: sessionId,
    student,
    text,
    bytes: Buffer.byteLength(entry.body),
  }
}
