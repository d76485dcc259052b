// Settle: the charge. It is on disk before anything is answered, and only then is the hold released.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { CallFacts } from '../../ledger/call-record.ts'
import type { Charge, ChargeKind, LateEnd, OpenedStream, StreamProgress } from '../../ledger/charge.ts'
import { nanoDollars } from '../../ledger/money.ts'
import type { Limits } from '../../limits/port.ts'
import type { LateCharge, LedgerWriter } from '../../store/ledger-writer.ts'
import type { UsageReport } from '../../upstream/port.ts'
import type { Uncharged } from './admit.ts'
import type { Admitted } from './admitted.ts'
import { type Metered, meter } from './meter.ts'
import { reportSafely } from './release.ts'

export type Outcome = 'completed' | 'client_closed' | 'failed'

/** How a charged call ended. */
export type ChargedEnd = {
  readonly outcome: Outcome
  readonly kind: ChargeKind
  /** For the call record; null if unknown. */
  readonly facts: CallFacts | null
}

/** Decides what a call does if its charge is late. */
export type LateSettlement = LateCharge & {
  /** Throws what the client gets. */
  readonly refuse: (cause: unknown) => never
}

export type SettleDependencies = {
  readonly writer: Pick<LedgerWriter, 'charge'>
  readonly limits: Pick<Limits, 'settle' | 'exceed'>
  readonly uncharged: Pick<Uncharged, 'follow'>
  readonly clock: () => number
  /** Called for every charge that is on disk. */
  readonly observeCharge: (metered: Metered) => void
  readonly reportError: (error: unknown, callId: string) => void
}

/** Rejects if the charge could not be written, unless `late` decides to wait; it is then retried with the hold in place. */
export function settle(
  dependencies: SettleDependencies,
  metered: Metered,
  end: ChargedEnd,
  late: LateSettlement,
): Promise<Metered> {
  const now = prepare(dependencies, metered)
  const charge = buildCharge(metered, end, now)
  let followed: Promise<void> | null = null
  const onDurable = (isRefunded = false) => {
    endHold(dependencies, metered, isRefunded)
    // The answer waits until a larger hold applies to the next call of its kind, wherever that call arrives.
    if (metered.excess !== null) followed = dependencies.uncharged.follow()
  }
  return dependencies.writer.charge(charge, onDurable, null, late).then(
    () => (followed === null ? metered : followed.then(() => metered)),
    cause => late.refuse(cause),
  )
}

/** Unix ms of the charge. Nothing before the writer has the row may fail: the hold would never end. */
function prepare(dependencies: SettleDependencies, { admitted, tokens }: Metered): number {
  const { hold } = admitted
  let now = hold.admittedAt
  try {
    now = dependencies.clock()
  } catch (error) {
    report(dependencies, error, hold.callId)
  }
  try {
    dependencies.limits.exceed(hold, tokens)
  } catch (error) {
    report(dependencies, error, hold.callId)
  }
  return now
}

function endHold(dependencies: SettleDependencies, metered: Metered, isRefunded: boolean): void {
  const { hold } = metered.admitted
  const cost = isRefunded ? nanoDollars(0) : metered.cost
  dependencies.limits.settle(hold, { cost, tokens: metered.tokens })
  if (isRefunded) return
  try {
    dependencies.observeCharge(metered)
  } catch (error) {
    report(dependencies, error, hold.callId)
  }
}

function report({ reportError }: SettleDependencies, error: unknown, callId: string): void {
  reportSafely(error, cause => reportError(cause, callId))
}

/** Shared, since one would be created for each call. */
const absent = {}

export function buildCharge(metered: Metered, end: ChargedEnd, now: number): Charge {
  const { admitted } = metered
  const { outcome, kind, facts } = end
  const { modelId: asked } = admitted.hold
  return {
    callId: admitted.callId,
    teamId: admitted.caller.team.teamId,
    keyHash: admitted.caller.key.keyHash,
    modelId: admitted.model.id,
    ...(asked === null || asked === admitted.model.id ? absent : { budgetModelId: asked }),
    endpoint: admitted.endpoint,
    units: metered.units,
    cost: metered.cost,
    outcome,
    flag: metered.flag,
    reported: metered.reported,
    ...(metered.excess === null ? absent : { excess: metered.excess }),
    admittedAt: admitted.hold.admittedAt,
    settledAt: now,
    durationMs: Math.max(0, now - admitted.hold.admittedAt),
    periods: admitted.hold.periods,
    kind,
    facts,
  }
}

// Decides what becomes of a call if its charge could not be written when it ended, and words the error for the client.

export type LateCall = {
  readonly outcome: Outcome
  /** The client gets an error anyway, whether or not the charge can be written. */
  readonly hasFailed: boolean
  /** The client left by itself, and no Idempotency-Key keeps the answer for it. */
  readonly hasLeft: boolean
  /** The client has got the start of a stream. */
  readonly hasBegun: boolean
  /** The call has an Idempotency-Key. */
  readonly isKeyed: boolean
}

/** `keep`: the answer waits in memory, if there is room for it, until its charge is written. */
export function decideLateCall({
  outcome,
  hasFailed,
  hasLeft,
  hasBegun,
  isKeyed,
}: LateCall): LateEnd | 'keep' {
  if (hasFailed || hasLeft || outcome === 'client_closed') return 'charge'
  if (hasBegun && isKeyed) return 'wait'
  if (hasBegun) return outcome === 'completed' ? 'undelivered' : 'charge'
  return isKeyed && outcome === 'completed' ? 'keep' : 'refund'
}

/** 503 for a call with a charge that could not be written in time. */
export function refuseLateCall(end: LateEnd | 'keep', callId: string, cause: unknown): ApiError {
  return unavailable(5, cause, `${lateTexts[end]} GET /self/calls/${callId} shows what it cost.`)
}

const refunded =
  'The charge of this call could not be recorded, so its answer is withheld. If the call was charged, the charge is refunded when the database is back; organisers can refund one that is not.'
const charged =
  'The charge of this call could not be recorded, so the end of its answer is withheld. The call may have been charged.'

const lateTexts: Readonly<Record<LateEnd | 'keep', string>> = {
  charge: charged,
  wait: charged,
  undelivered: charged,
  refund: refunded,
  keep: 'The charge of this call could not be recorded yet, so its answer is withheld. Repeat the call with the same Idempotency-Key to get the answer; it is charged once.',
}

/** As the stream starts: nothing used. */
export function buildOpenRow(admitted: Admitted, facts: CallFacts | null): OpenedStream {
  return {
    callId: admitted.callId,
    teamId: admitted.caller.team.teamId,
    keyHash: admitted.caller.key.keyHash,
    modelId: admitted.model.id,
    endpoint: admitted.endpoint,
    periods: admitted.hold.periods,
    admittedAt: admitted.hold.admittedAt,
    reservedTokens: admitted.reservedTokens,
    facts,
  }
}

/** The usage reported so far per choice, at most the hold; null while there is none, so that a stream that only waits writes nothing. */
export function buildProgress(
  admitted: Admitted,
  usages: readonly (UsageReport | null)[],
  now: number,
): StreamProgress | null {
  const reports = usages.flatMap(usage => (usage?.kind === 'reported' ? [usage] : []))
  if (reports.length === 0) return null
  const metered = meter(admitted, reports)
  return {
    teamId: admitted.caller.team.teamId,
    callId: admitted.callId,
    units: metered.units,
    cost: metered.cost,
    flag: metered.flag,
    reported: metered.reported,
    progressAt: now,
  }
}
