// Takes the next waiting entries for one request: at most 500, and not more bytes than are sent well in one piece.
import { join } from 'node:path'
import { maximumEntriesPerRequest, maximumEntryBytes } from '@fairgate/contracts/logbook/limits.ts'
import { parseEntryText } from '../spool/entry-text.ts'
import { readPending } from '../spool/pending.ts'
import { isolateEntry } from '../spool/rejected.ts'
import type { NumberedEntry, Spool } from '../spool/spool.ts'

/** A quarter of what the logbook takes, so that a slow line still shows progress. One entry alone may be as large. */
const preferredBodyBytes = maximumEntryBytes

/** Files that hold no entry, and entries over the size limit, are set aside on the way. */
export function readBatch(spool: Spool, names: readonly string[]): NumberedEntry[] {
  const batch: NumberedEntry[] = []
  let bytes = 0
  for (const name of names) {
    if (batch.length >= maximumEntriesPerRequest) break
    const text = readEntry(spool, name)
    if (text === null) continue
    bytes += Buffer.byteLength(text) + 1
    if (batch.length > 0 && bytes > preferredBodyBytes) break
    batch.push({ name, text })
  }
  return batch
}

function readEntry(spool: Spool, name: string): string | null {
  const path = join(spool.layout.pending, name)
  const bytes = readPending(spool, name)
  if (bytes === null) return null
  const parsed = parseEntryText(bytes)
  if (parsed === null) {
    isolateEntry(spool, path, name, { code: 'torn', message: 'The file holds no entry.' })
    return null
  }
  if (bytes.length > maximumEntryBytes) {
    const message = `The entry is larger than ${maximumEntryBytes} bytes.`
    isolateEntry(spool, path, name, { code: 'entry_too_large', message })
    return null
  }
  return parsed.text
}
