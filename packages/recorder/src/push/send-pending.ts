// Sends the waiting entries batch by batch until none is left or the logbook says stop. Killing it at any moment loses no entry.
import { join } from 'node:path'
import { maximumEntriesPerRequest, maximumEntryBytes } from '@fairgate/contracts/logbook/limits.ts'
import type { CallLogbook } from '../logbook/call-logbook.ts'
import { type Judgement, judgeReply, type StopReason } from '../logbook/judge-reply.ts'
import { archiveBatch } from '../spool/archive.ts'
import { completeEntries, type FindMembers } from '../spool/completions.ts'
import type { Lock } from '../spool/lock.ts'
import { listPending, readPending } from '../spool/pending.ts'
import { isolateEntry } from '../spool/rejected.ts'
import { type NumberedEntry, parseEntryText, type Spool } from '../spool/spool.ts'
import { describeRecorder } from './describe-recorder.ts'
import type { SendingDependencies } from './run-sending.ts'

export type SendDependencies = Pick<SendingDependencies, 'spool' | 'remainingMs' | 'inspect' | 'recorder'> & {
  readonly callLogbook: CallLogbook
  readonly findMembers: FindMembers
  readonly lock: Pick<Lock, 'renew'>
}

export type SendResult = {
  /** Acknowledged in this run. */
  readonly sent: number
  /** How many of them the logbook already had, as after a lost reply. */
  readonly duplicates: number
  /** Set aside in this run, by the logbook or because it could never take them. */
  readonly rejected: number
  /** Still waiting. */
  readonly kept: number
  readonly stop: {
    readonly reason: StopReason
    readonly message: string
    readonly retryAfterMs: number | null
  } | null
}

const longestCallMs = 30_000
/** The part of the remaining time that is for the call itself. */
const reservedForCallMs = 500

const timeIsUp = { kind: 'stop', reason: 'timeout', message: 'no time left', retryAfterMs: null } as const

/** Whether to stop reading transcripts. What is ready is then sent, and the next sender sends the rest. */
export function isCompletingOver(remainingMs: () => number): boolean {
  return remainingMs() <= reservedForCallMs
}

export async function sendPending(dependencies: SendDependencies): Promise<SendResult> {
  const { spool, lock, inspect } = dependencies
  const count = { sent: 0, duplicates: 0, rejected: 0 }
  let stop: SendResult['stop'] = null
  while (stop === null) {
    const names = listPending(spool).slice(0, maximumEntriesPerRequest)
    if (names.length === 0) break
    const ready = completeEntries(spool, names, dependencies.findMembers, () =>
      isCompletingOver(dependencies.remainingMs),
    )
    const { batch, setAside } = readBatch(spool, ready)
    count.rejected += setAside
    if (batch.length > 0) inspect?.(batch)
    lock.renew()
    if (batch.length > 0) stop = await sendBatch(dependencies, batch, count)
    // Unreadable files stay where they are.
    else if (ready.length < names.length) stop = timeIsUp
    else if (listPending(spool).length >= names.length) break
  }
  return { ...count, kept: listPending(spool).length, stop }
}

async function post(
  { spool, callLogbook, remainingMs, recorder }: SendDependencies,
  batch: readonly NumberedEntry[],
): Promise<Judgement> {
  const timeoutMs = Math.min(longestCallMs, remainingMs())
  if (timeoutMs <= 0) return timeIsUp
  // The texts are sent as they are on disk, so a second attempt sends the same bytes.
  const body = `{"entries":[${batch.map(({ text }) => text).join(',')}]}`
  const sending = new Set(batch.map(({ name }) => name))
  const headers = recorder === undefined ? {} : describeRecorder(spool, sending, recorder)
  const call = { method: 'POST', path: '/api/ingest', body, headers, timeoutMs } as const
  return judgeReply(await callLogbook(call), batch.length)
}

/** Sends a batch, and halves it whenever the logbook refuses it as a whole. null: continue with the next batch. */
async function sendBatch(
  dependencies: SendDependencies,
  batch: readonly NumberedEntry[],
  count: { sent: number; duplicates: number; rejected: number },
): Promise<SendResult['stop']> {
  const judgement = await post(dependencies, batch)
  if (judgement.kind === 'stop') return judgement
  if (judgement.kind === 'accepted') {
    const refused = new Map(judgement.rejected.map(rejection => [rejection.index, rejection]))
    for (const [index, reason] of refused) setAside(dependencies.spool, batch[index], reason)
    const accepted = batch.filter((_, index) => !refused.has(index))
    archiveBatch(dependencies.spool, accepted, judgement.teamId)
    count.sent += accepted.length
    count.duplicates += judgement.duplicates
    count.rejected += refused.size
    return null
  }
  if (batch.length > 1) {
    const middle = Math.ceil(batch.length / 2)
    return (
      (await sendBatch(dependencies, batch.slice(0, middle), count)) ??
      (await sendBatch(dependencies, batch.slice(middle), count))
    )
  }
  // Something between us and the logbook may refuse everything. The entry is at fault only if an empty batch is accepted.
  const probe = await post(dependencies, [])
  if (probe.kind === 'stop') return probe
  if (probe.kind === 'refused')
    return { reason: 'not a logbook', message: judgement.message, retryAfterMs: null }
  setAside(dependencies.spool, batch[0], judgement)
  count.rejected += 1
  return null
}

function setAside(
  spool: Spool,
  entry: NumberedEntry | undefined,
  reason: { code: string; message: string },
): void {
  if (entry === undefined) return
  const { code, message } = reason
  isolateEntry(spool, join(spool.layout.pending, entry.name), entry.name, { code, message })
}

/** A quarter of what the logbook accepts, so that a slow line still makes progress. A single entry may be this large. */
const preferredBodyBytes = maximumEntryBytes

/** Files without an entry, and entries over the size limit, are set aside. `setAside` counts them. */
function readBatch(
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
    isolateEntry(spool, path, name, { code: 'torn', message: 'The file contains no entry.' })
    return { text: null, isSetAside: true }
  }
  if (bytes.length > maximumEntryBytes) {
    const message = `The entry is larger than ${maximumEntryBytes} bytes.`
    isolateEntry(spool, path, name, { code: 'entry_too_large', message })
    return { text: null, isSetAside: true }
  }
  return { text: parsed.text, isSetAside: false }
}
