// One complete sending: take the lock, recover from crashes, scan transcripts, send, and remember how it went.
import { readSettings } from '../config/settings.ts'
import type { CallLogbook } from '../logbook/call-logbook.ts'
import { compareClocks } from '../logbook/compare-clocks.ts'
import { finishClaims } from '../spool/claims.ts'
import type { FindMembers } from '../spool/completions.ts'
import { layOut } from '../spool/layout.ts'
import { type LockOwner, takeLock } from '../spool/lock.ts'
import { listPending } from '../spool/pending.ts'
import { adoptEntries, recoverTemporary } from '../spool/recover.ts'
import type { NumberedEntry, Spool } from '../spool/spool.ts'
import type { RecorderFacts } from './describe-recorder.ts'
import { readLastSend, remainingWait, saveLastSend } from './last-send.ts'
import { isCompletingOver, type SendResult, sendPending } from './send-pending.ts'

export type SendingStop = {
  readonly reason: NonNullable<SendResult['stop']>['reason'] | 'not set up' | 'another sender' | 'waiting'
  readonly message: string
}

export type SendingResult = Omit<SendResult, 'stop'> & {
  readonly stop: SendingStop | null
  /** As `ComparedClocks` has it. */
  readonly clockBehindMs: number
}

export type SendingDependencies = {
  readonly spool: Spool
  /** Where entries wait that could not be written to the git folder. */
  readonly fallbackFolder: string
  readonly owner: LockOwner
  readonly connect: (logbookUrl: string, token: string) => Promise<CallLogbook>
  /** Adds entries for what no hook could see. */
  readonly scan: (isTimeUp: () => boolean) => Promise<void>
  /** Called once per sending, so that a transcript is read once for all its entries. */
  readonly startCompleting: (isTimeUp: () => boolean) => FindMembers
  /** The time left in milliseconds. At 0 or below, sending stops with `timeout`. */
  readonly remainingMs: () => number
  /** Whether to respect the wait that the logbook asked for. */
  readonly isPatient: boolean
  /** Is given every entry before it is sent. */
  readonly inspect?: (entries: readonly NumberedEntry[]) => void
  /** What this recorder reports about itself to the logbook. */
  readonly recorder?: RecorderFacts
}

export async function runSending(dependencies: SendingDependencies): Promise<SendingResult> {
  const { spool, owner } = dependencies
  const stopped = (reason: SendingStop['reason'], message: string): SendingResult => ({
    sent: 0,
    duplicates: 0,
    rejected: 0,
    kept: countWaiting(spool, dependencies.fallbackFolder),
    stop: { reason, message },
    clockBehindMs: 0,
  })
  const lock = takeLock(spool, owner)
  if (lock === null) return stopped('another sender', 'another sender is at work')
  try {
    const now = owner.now()
    recoverTemporary(spool, now)
    // First, so that no claim is finished whose entry waits in the home folder.
    adoptEntries(spool, layOut(dependencies.fallbackFolder))
    finishClaims(spool, now)
    const isTimeUp = () => isCompletingOver(dependencies.remainingMs)
    await dependencies.scan(isTimeUp)
    const { logbookUrl, token } = readSettings(spool)
    if (logbookUrl === null || token === null)
      return stopped('not set up', 'the address of the logbook or the log token is missing')
    const wait = dependencies.isPatient ? remainingWait(readLastSend(spool), now) : 0
    if (wait > 0) return stopped('waiting', `the logbook asked to wait ${Math.ceil(wait / 1000)} s more`)
    if (listPending(spool).length === 0)
      return { sent: 0, duplicates: 0, rejected: 0, kept: 0, stop: null, clockBehindMs: 0 }
    const clocks = compareClocks(await dependencies.connect(logbookUrl, token), owner.now)
    const result = await sendPending({
      ...dependencies,
      callLogbook: clocks.call,
      lock,
      findMembers: dependencies.startCompleting(isTimeUp),
    })
    const clockBehindMs = clocks.behindMs() ?? 0
    remember(spool, { ...result, clockBehindMs }, owner.now())
    return { ...result, clockBehindMs }
  } finally {
    lock.release()
  }
}

/** Includes the entries that could not be written to the git folder. */
function countWaiting({ files, layout }: Spool, fallbackFolder: string): number {
  const places = [layout, layOut(fallbackFolder)]
  return places.reduce((sum, place) => sum + listPending({ files, layout: place }).length, 0)
}

function remember(
  spool: Spool,
  { stop, ...counts }: SendResult & Pick<SendingResult, 'clockBehindMs'>,
  now: number,
): void {
  const wait = stop?.retryAfterMs ?? null
  saveLastSend(spool, {
    at: new Date(now).toISOString(),
    ...counts,
    stop: stop?.message ?? null,
    waitUntil: wait === null ? null : new Date(now + wait).toISOString(),
  })
}
