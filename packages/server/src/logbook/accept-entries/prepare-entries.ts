// Turns the bytes of a request into entries that are ready to be stored: all the work that needs no database.

import { clockToleranceMs } from '@fairgate/contracts/logbook/entry-times.ts'
import type { Rejection, Warning } from '@fairgate/contracts/logbook/ingest.ts'
import { maximumEntryBytes } from '@fairgate/contracts/logbook/limits.ts'
import { canonicalJson } from '@fairgate/contracts/text/canonical-json.ts'
import type { EntryToAppend, HeldEntries, PackedEntries } from '../../store/statements/packed-entries.ts'
import { buildEventKey, buildToolKey } from '../filter-keys.ts'
import { parseBatch } from './parse-batch.ts'
import type { Timestamp } from './parse-timestamp.ts'
import { truncateEntry } from './truncate-entry.ts'
import { type ValidEntry, validateEntry } from './validate-entry.ts'

export type JudgedBatch = {
  /** Entries in the request. */
  readonly received: number
  readonly prepared: EntryToAppend[]
  readonly rejected: Rejection[]
  readonly warnings: Warning[]
}

/** The verdict, and the entries in the form that the store takes: here, or already with the writing thread. */
export type PreparedBatch = Omit<JudgedBatch, 'prepared'> & { readonly entries: PackedEntries | HeldEntries }

/** `now` in Unix ms. Throws what `parseBatch` throws. A bad entry is listed and does not affect the others. */
export function prepareEntries(bytes: Uint8Array, now: number): JudgedBatch {
  const { entries } = parseBatch(bytes)
  const batch: JudgedBatch = { received: entries.length, prepared: [], rejected: [], warnings: [] }
  for (const [index, candidate] of entries.entries()) {
    const judgement = validateEntry(candidate)
    if (!judgement.ok) {
      batch.rejected.push({ index, code: judgement.code, message: judgement.message })
      continue
    }
    const { entry, timestamp } = judgement
    const sent = canonicalJson(entry)
    if (Buffer.byteLength(sent) > maximumEntryBytes) {
      const message = `The entry is larger than ${maximumEntryBytes} bytes.`
      batch.rejected.push({ index, code: 'entry_too_large', message })
      continue
    }
    batch.prepared.push(prepareEntry(entry, timestamp, sent))
    batch.warnings.push(...findWarnings(index, timestamp, now))
  }
  return batch
}

function prepareEntry(entry: ValidEntry, timestamp: Timestamp, sent: string): EntryToAppend {
  // Compute the identity before anything is cut: a resend has the same identity, but two long prompts that differ only at their ends do
  // not.
  const identity = sha256(sent)
  const stored = truncateEntry(entry)
  const body = stored === entry ? sent : canonicalJson(stored)
  return {
    identity,
    body,
    bodyBytes: Buffer.byteLength(body),
    bodyHash: stored === entry ? identity : sha256(body),
    tsMicros: timestamp.microseconds,
    toolKey: buildToolKey(entry.tool),
    eventKey: buildEventKey(entry.event),
  }
}

function findWarnings(index: number, timestamp: Timestamp, now: number): Warning[] {
  const warnings: Warning[] = []
  if (!timestamp.hasOffset) {
    warnings.push({
      index,
      code: 'offset_missing',
      message: "'ts' has no UTC offset; it was read as UTC.",
    })
  }
  if (timestamp.microseconds > (now + clockToleranceMs) * 1000) {
    warnings.push({
      index,
      code: 'timestamp_in_future',
      message: "'ts' is in the future; check the clock of the machine that wrote it.",
    })
  }
  return warnings
}

function sha256(text: string): string {
  return Bun.SHA256.hash(text, 'hex')
}
