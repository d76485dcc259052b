// Takes the next waiting entries for one request: at most 500, and no more bytes than a slow line can send in one piece.
import { join } from 'node:path'
import { maximumEntriesPerRequest, maximumEntryBytes } from '@fairgate/contracts/logbook/limits.ts'
import { parseEntryText } from '../spool/entry-text.ts'
import { readPending } from '../spool/pending.ts'
import { isolateEntry } from '../spool/rejected.ts'
import type { NumberedEntry, Spool } from '../spool/spool.ts'

/** A quarter of what the logbook accepts, so that a slow line still makes progress. A single entry may be this large. */
const preferredBodyBytes = maximumEntryBytes

/** Files without an entry, and entries over the size limit, are set aside. `setAside` counts them. */
export function readBatch(
  spool: Spool,
  names: readonly string[],
): { readonly batch: NumberedEntry[]; readonly setAside: number } {
  const batch: NumberedEntry[] = []
  let bytes = 0
  let setAside = 0
  for (const name of names) {
    if (batch.length >= maximumEntriesPerRequest) break
    const { text, isSetAside } = readEntry(spool, name)
    if (isSetAside) setAside += 1
    if (text === null) continue
    bytes += Buffer.byteLength(text) + 1
    if (batch.length > 0 && bytes > preferredBodyBytes) break
    batch.push({ name, text })
  }
  return { batch, setAside }
}

/** An entry without a text that was not set aside is gone or cannot be read. */
function readEntry(spool: Spool, name: string): { text: string | null; isSetAside: boolean } {
  const path = join(spool.layout.pending, name)
  const bytes = readPending(spool, name)
  if (bytes === null) return { text: null, isSetAside: false }
  const parsed = parseEntryText(bytes)
  if (parsed === null) {
    isolateEntry(spool, path, name, { code: 'torn', message: 'The file holds no entry.' })
    return { text: null, isSetAside: true }
  }
  if (bytes.length > maximumEntryBytes) {
    const message = `The entry is larger than ${maximumEntryBytes} bytes.`
    isolateEntry(spool, path, name, { code: 'entry_too_large', message })
    return { text: null, isSetAside: true }
  }
  return { text: parsed.text, isSetAside: false }
}
