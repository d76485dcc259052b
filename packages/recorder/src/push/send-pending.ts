// Sends what waits, batch by batch, until nothing is left or the logbook says stop. No entry is lost whenever it is killed.
import { join } from 'node:path'
import { maximumEntriesPerRequest } from '@fairgate/contracts/logbook/limits.ts'
import type { CallLogbook } from '../logbook/call-logbook.ts'
import { type Judgement, judgeReply, type StopReason } from '../logbook/judge-reply.ts'
import { archiveBatch } from '../spool/archive.ts'
import { completeEntries, type FindMembers } from '../spool/completions.ts'
import type { Lock } from '../spool/lock.ts'
import { listPending } from '../spool/pending.ts'
import { isolateEntry } from '../spool/rejected.ts'
import type { NumberedEntry, Spool } from '../spool/spool.ts'
import { readBatch } from './read-batch.ts'

export type SendDependencies = {
  readonly spool: Spool
  readonly callLogbook: CallLogbook
  readonly findMembers: FindMembers
  readonly lock: Pick<Lock, 'renew'>
  /** Milliseconds left for all of it; at 0 or below it stops with `timeout`. */
  readonly remainingMs: () => number
  /** Told of every entry before it is sent. */
  readonly inspect?: (entries: readonly NumberedEntry[]) => void
}

export type SendResult = {
  readonly sent: number
  /** Set aside in this run. */
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
/** Of the time that is left, for the call itself. */
const reservedForCallMs = 500

const timeIsUp = { kind: 'stop', reason: 'timeout', message: 'no time left', retryAfterMs: null } as const

/** Whether no more transcripts are to be read: what is ready then is sent, and the rest by the next sender. */
export function isCompletingOver(remainingMs: () => number): boolean {
  return remainingMs() <= reservedForCallMs
}

export async function sendPending(dependencies: SendDependencies): Promise<SendResult> {
  const { spool, lock, inspect } = dependencies
  const count = { sent: 0, rejected: 0 }
  let stop: SendResult['stop'] = null
  while (stop === null) {
    const names = listPending(spool).slice(0, maximumEntriesPerRequest)
    if (names.length === 0) break
    const ready = completeEntries(spool, names, dependencies.findMembers, () =>
      isCompletingOver(dependencies.remainingMs),
    )
    const batch = readBatch(spool, ready)
    inspect?.(batch)
    lock.renew()
    if (batch.length > 0) stop = await sendBatch(dependencies, batch, count)
    // Files that cannot be read stay where they are.
    else if (ready.length < names.length) stop = timeIsUp
    else if (listPending(spool).length >= names.length) break
  }
  return { ...count, kept: listPending(spool).length, stop }
}

async function post(
  { callLogbook, remainingMs }: SendDependencies,
  batch: readonly NumberedEntry[],
): Promise<Judgement> {
  const timeoutMs = Math.min(longestCallMs, remainingMs())
  if (timeoutMs <= 0) return timeIsUp
  // The texts go out as they lie on the disk: a resend is the same bytes.
  const body = `{"entries":[${batch.map(({ text }) => text).join(',')}]}`
  return judgeReply(await callLogbook({ method: 'POST', path: '/api/ingest', body, timeoutMs }), batch.length)
}

/** Sends a batch, halving it as often as the logbook refuses it as a whole. null: go on with the next. */
async function sendBatch(
  dependencies: SendDependencies,
  batch: readonly NumberedEntry[],
  count: { sent: number; rejected: number },
): Promise<SendResult['stop']> {
  const judgement = await post(dependencies, batch)
  if (judgement.kind === 'stop') return judgement
  if (judgement.kind === 'accepted') {
    const refused = new Map(judgement.rejected.map(rejection => [rejection.index, rejection]))
    for (const [index, reason] of refused) setAside(dependencies.spool, batch[index], reason)
    const accepted = batch.filter((_, index) => !refused.has(index))
    archiveBatch(dependencies.spool, accepted)
    count.sent += accepted.length
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
  // Something between us and the logbook may refuse everything: only when an empty batch is taken is the entry at fault.
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
