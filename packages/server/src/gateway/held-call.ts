// Owns the hold of a paid call from its admission to its end: whatever throws in between, the hold is settled by a charge, released,
// or left to whoever has said that it ends it.
//
//   admit → open ──────────────── nothing was done ────────────────→ released
//             └→ owing (the upstream has answered or may be at work) → charged, at the hold where it cannot be measured
//             └→ left to another (an order that may be under way)    → settled or released there
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { Call } from '../http/call.ts'
import type { StreamProgress } from '../ledger/charge.ts'
import type { Limits } from '../limits/port.ts'
import type { LedgerWriter } from '../store/ledger-writer.ts'
import { awaitQuietly, quietly, tellQuietly } from './quietly.ts'
import type { Caller } from './stages/1-authenticate.ts'
import { type AdmitDependencies, type Admitted, type CallPlan, createAdmit } from './stages/2-admit.ts'
import { chargeHold, type Metered } from './stages/5-meter.ts'
import {
  createSettle,
  type Outcome,
  type Settle,
  type SettleDependencies,
  type Settled,
} from './stages/6-settle.ts'
import { buildOpenRow } from './stream-rows.ts'

export type HeldDependencies = AdmitDependencies &
  SettleDependencies & {
    readonly limits: Pick<Limits, 'admit' | 'settle' | 'release'>
    readonly writer: Pick<LedgerWriter, 'charge' | 'openStream' | 'dropStream'>
  }

/** What the call cost when it ends so; null when nothing was done. */
export type Measure = (outcome: Outcome) => Metered | null

export type HeldCall = {
  readonly admitted: Admitted
  /**
   * Writes the row that a crash is charged by, at the progress that is told about once a second; the end of the call removes
   * it. Throws ApiError `unavailable`.
   */
  readonly openRow: (progress: () => StreamProgress | null) => Promise<void>
  /** From now on the end of the call is charged what `measure` says. */
  readonly owe: (measure: Measure) => void
  /** From now on `last` is the end of the call: it settles or releases the hold by itself. */
  readonly leaveTo: (last: () => void | Promise<void>) => void
  /** Stops the upstream: runs once, at the end of the call, whatever that is. */
  readonly whenEnded: (run: () => void) => void
  /** Ends the call. The first end counts; later callers get what it led to: the charge, or null when nothing was charged. */
  readonly end: (outcome: Outcome) => Promise<Settled | null>
  /** Ends the call with a charge. */
  readonly charge: (outcome: Outcome, measure: () => Metered) => Promise<Settled>
  /** Tells the operator of an error. Never throws. */
  readonly report: (error: unknown) => void
  /** The reply outlives the work: from now on it is for whoever writes the reply to call `end`. The last thing that work does. */
  readonly outlive: <Reply>(reply: Reply) => Reply
}

/** Runs `work` under a hold, which has ended when this returns or throws, unless the reply outlives the work. */
export type RunHeld = <Reply>(
  caller: Caller,
  context: Call<unknown, unknown>,
  plan: CallPlan,
  work: (held: HeldCall) => Promise<Reply>,
) => Promise<Reply>

export function createRunHeld(dependencies: HeldDependencies): RunHeld {
  const admit = createAdmit(dependencies)
  const settle = createSettle(dependencies)
  return async (caller, context, plan, work) => {
    const admitted = await admit(caller, context.callId, plan)
    const { held, isEnded, isOutlived } = holdCall(dependencies, settle, admitted, context)
    const giveUp = () => awaitQuietly(() => held.end('failed'), held.report)
    try {
      context.keepOpen()
      context.note({ team_id: caller.team.teamId, key_name: caller.key.keyName, model: plan.model.id })
      const reply = await work(held)
      if (!isEnded() && !isOutlived()) await giveUp()
      return reply
    } catch (failure) {
      // What was thrown is what the client is told, also when the charge cannot be written.
      if (!isEnded()) await giveUp()
      throw failure
    }
  }
}

function holdCall(
  { limits, writer, reportError }: HeldDependencies,
  settle: Settle,
  admitted: Admitted,
  context: Call<unknown, unknown>,
): { held: HeldCall; isEnded: () => boolean; isOutlived: () => boolean } {
  const { hold, callId, caller } = admitted
  const report = (error: unknown) => tellQuietly(error, told => reportError(told, callId))
  let measure: Measure | null = null
  let last: (() => void | Promise<void>) | null = null
  let stop: (() => void) | null = null
  let ending: Promise<Settled | null> | null = null
  /** A row that could not be written may stand there all the same. */
  let row: 'none' | 'asked' | 'refused' = 'none'
  let isOutlived = false

  /** A call that cannot be measured costs what was held for it. */
  const measureNow = (outcome: Outcome): Metered | null => {
    try {
      return measure === null ? null : measure(outcome)
    } catch (error) {
      report(error)
      return chargeHold(admitted, 'not_metered')
    }
  }
  const stopOnce = (): void => {
    const run = stop
    stop = null
    if (run !== null) quietly(run, report)
  }
  const release = async (): Promise<null> => {
    limits.release(hold)
    if (row === 'asked') {
      const id = { teamId: caller.team.teamId, callId }
      await awaitQuietly(() => writer.dropStream(id), report)
    }
    return null
  }
  const settleOrRelease = (outcome: Outcome): Promise<Settled | null> => {
    const metered = measureNow(outcome)
    if (row !== 'none') quietly(() => context.note({ outcome }), report)
    return metered === null ? release() : settle(metered, outcome, row !== 'none')
  }
  const finish = async (outcome: Outcome): Promise<Settled | null> => {
    // An upstream that has said everything may close by itself meanwhile: its connection then serves the next call.
    if (outcome !== 'completed') stopOnce()
    try {
      if (last === null) return await settleOrRelease(outcome)
      await last()
      return null
    } finally {
      stopOnce()
    }
  }

  const held: HeldCall = {
    admitted,
    openRow: async progress => {
      try {
        const opened = buildOpenRow(admitted)
        row = 'asked'
        await writer.openStream(opened, progress)
      } catch (cause) {
        row = 'refused'
        throw unavailable(5, cause)
      }
    },
    owe: next => {
      measure = next
    },
    leaveTo: next => {
      last = next
    },
    whenEnded: run => {
      stop = run
    },
    end: outcome => {
      // The usual call has nothing to stop and nobody to leave its end to.
      ending ??= stop === null && last === null ? settleOrRelease(outcome) : finish(outcome)
      return ending
    },
    charge: async (outcome, next) => {
      measure = next
      const settled = await held.end(outcome)
      if (settled === null) throw new Error('A call that had ended without a charge was charged.')
      return settled
    },
    report,
    outlive: reply => {
      isOutlived = true
      return reply
    },
  }
  return { held, isEnded: () => ending !== null, isOutlived: () => isOutlived }
}
