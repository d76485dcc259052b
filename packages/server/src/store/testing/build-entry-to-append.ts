// Entries as the statements take them, for tests of the logbook's tables.
import { createHash, randomBytes } from 'node:crypto'
import type { EntrySender } from '../statements/append-entries.ts'
import { type EntryToAppend, type PackedEntries, packEntries } from '../statements/packed-entries.ts'

export const sender: EntrySender = { tokenId: 'token-1', clientAddress: '192.0.2.7' }

/** One entry per name. */
export function buildPackedEntries(...names: readonly string[]): PackedEntries {
  return packTestEntries(names.map(name => buildEntryToAppend(name)))
}

export function packTestEntries(entries: readonly EntryToAppend[]): PackedEntries {
  return packEntries(entries, randomBytes)
}

/** `name` makes the entry different from others; its time is in microseconds. */
export function buildEntryToAppend(
  name: string,
  changes: {
    readonly tsMicros?: number
    readonly tool?: string
    readonly event?: string
    readonly text?: string
  } = {},
): EntryToAppend {
  const { tsMicros = 1_000_000, tool = 'tool-1', event = 'Stop', text = '' } = changes
  const ts = `${new Date(Math.floor(tsMicros / 1000)).toISOString().slice(0, 19)}.${String(tsMicros % 1_000_000).padStart(6, '0')}Z`
  const body = JSON.stringify({
    branch: 'main',
    commit: 'abc1234',
    event,
    name,
    repo: 'team/project',
    session_id: 'session-1',
    student: 'student@example.org',
    text,
    tool,
    ts,
  })
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const bodyBytes = Buffer.byteLength(body)
  return { identity: bodyHash, body, bodyBytes, bodyHash, tsMicros, toolKey: tool, eventKey: event }
}
