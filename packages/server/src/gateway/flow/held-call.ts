// Owns the hold of a paid call from its admission to its end. If anything throws in between, the hold is settled by a charge,
// released, or left to the code that has promised to end it.
//
//   admit → open ──────────────── nothing was done ────────────────→ released
//             └→ owing (the upstream has answered or may be at work) → charged, at the hold if it cannot be measured
//             └→ left to another (an order that may be under way)    → settled or released there
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { DigestTexts } from '../../evidence/create-digester.ts'
import type { Call } from '../../http/call.ts'
import type { CallFacts } from '../../ledger/call-record.ts'
import type { LateEnd } from '../../ledger/charge.ts'
import { countTokens } from '../../ledger/count-tokens.ts'
import { toUsdNumber } from '../../ledger/money.ts'
import type { FairLines } from '../../limits/fair/fair-lines.ts'
import type { LedgerWriter } from '../../store/ledger-writer.ts'
import type { ServedStream } from '../../store/running-streams.ts'
import type { Served } from '../../upstream/port.ts'
import { type AdmitDependencies, admit, type CallPlan, raiseHold, type Uncharged } from './admit.ts'
import type { Admitted } from './admitted.ts'
import type { Caller } from './authenticate.ts'
import { CallTrace } from './call-facts.ts'
import { previewCall } from './dry-run.ts'
import { chargeHold, type Metered } from './meter.ts'
import { readPatience } from './read-patience.ts'
import { awaitQuietly, quietly, type ReleaseDependencies, release, reportSafely } from './release.ts'
import {
  buildOpenRow,
  decideLateCall,
  type LateSettlement,
  type Outcome,
  refuseLateCall,
  type SettleDependencies,
  settle,
} from './settle.ts'

/** Dependencies of every paid call. */
export type FlowDependencies = AdmitDependencies &
  SettleDependencies &
  ReleaseDependencies & {
    readonly writer: Pick<LedgerWriter, 'charge' | 'openStream' | 'dropStream'>
    readonly digestTexts: DigestTexts
    readonly uncharged: Uncharged
    readonly fairLines?: FairLines
    /** How long a call waits in a line, unless the client sets it. */
    readonly queueMs?: number
    /** Absent while no traces are exported. */
    readonly followCall?: FollowCall
  }

/** Runs the work of a call, so that its upstream calls count as its own and its end can be described. */
export type FollowCall = <Reply>(call: Call, held: HeldCall, work: () => Promise<Reply>) => Promise<Reply>

/** The cost of a call that ends this way; null if nothing was done. */
export type Measure = (outcome: Outcome) => Metered | null

/** Runs `work` under a hold, which has ended when this returns or throws, unless the reply outlives the work. */
export async function runHeld<Reply>(
  dependencies: FlowDependencies,
  caller: Caller,
  call: Call,
  plan: CallPlan,
  work: (held: HeldCall) => Promise<Reply>,
): Promise<Reply> {
  const raised = raiseHold(dependencies.uncharged, caller.team.teamId, plan)
  if (call.isDryRun) return previewCall(dependencies, caller, call, raised)
  const { fairLines, queueMs = 0, followCall } = dependencies
  const patience = fairLines === undefined ? undefined : readPatience(call, queueMs)
  const admission = admit(dependencies, { caller, callId: call.callId, plan: raised, patience })
  const admitted = admission instanceof Promise ? await admission : admission
  const held = new HeldCall(dependencies, admitted, call, plan)
  try {
    call.keepOpen()
    call.note({ team_id: caller.team.teamId, key_name: caller.key.keyName, model: plan.model.id })
    const reply = await (followCall === undefined ? work(held) : followCall(call, held, () => work(held)))
    fairLines?.noteServed(plan.model.id, caller.team.teamId)
    if (!held.hasEnded && !held.isOutlived) await held.giveUp()
    return reply
  } catch (failure) {
    if (failure instanceof ApiError) {
      held.trace.code = failure.code
      const retryMs = Number(failure.headers['retry-after'] ?? 1) * 1000
      if (failure.code === 'upstream_rate_limited')
        fairLines?.noteBusy(plan.model.id, caller.team.teamId, retryMs)
    }
    // The client gets what was thrown, even if the charge cannot be written.
    if (!held.hasEnded) await held.giveUp()
    throw failure
  }
}

export class HeldCall implements LateSettlement {
  readonly admitted: Admitted
  /** The facts that are recorded about the call. */
  readonly trace: CallTrace
  private readonly dependencies: FlowDependencies
  private readonly call: Call
  private measure: Measure | null = null
  private last: (() => void | Promise<void>) | null = null
  private stop: (() => void) | null = null
  private ending: Promise<Metered | null> | null = null
  /** A row may exist even if its write failed. */
  private row: 'none' | 'asked' | 'refused' = 'none'
  /** The writer of the reply ends the call. */
  isOutlived = false
  /** The admission with the model that answered; its prices determine the charge. */
  charged: Admitted
  private isGivenUp = false
  /** How it ended and what it costs; null while nothing is charged. */
  charge: { readonly outcome: Outcome; readonly metered: Metered } | null = null
  private lateEnd: LateEnd | 'keep' = 'charge'
  /** Writes the answer of a call with a single answer; null until there is one. */
  writeLateAnswer: ((metered: Metered) => Promise<Response>) | null = null

  constructor(dependencies: FlowDependencies, admitted: Admitted, call: Call, plan: CallPlan) {
    this.dependencies = dependencies
    this.admitted = admitted
    this.charged = admitted
    this.call = call
    this.trace = new CallTrace(call, plan, admitted.caller.team.teamId, dependencies.digestTexts)
    call.isOnRecord = true
  }

  /** An upstream has answered: with which key, and whether it is a fallback's. */
  noteServed(served: Served): void {
    this.trace.noteServed(served)
    const { servedBy: model } = served
    if (model === undefined) return
    this.charged = { ...this.admitted, model }
    this.note(() => ({ model_served: model.id }))
  }

  /** The call has an Idempotency-Key. */
  get isKeyed(): boolean {
    return this.call.answerKeeper !== null
  }

  /** The answer was asked for in pieces. */
  get isStream(): boolean {
    return this.row !== 'none'
  }

  get hasEnded(): boolean {
    return this.ending !== null
  }

  /**
   * Writes the row that a crash is charged by, at the progress that is reported about once a second; the end of the call removes
   * it. Throws ApiError `unavailable`.
   */
  async openRow(served: ServedStream): Promise<void> {
    try {
      const opened = buildOpenRow(this.admitted, this.facts())
      this.row = 'asked'
      await this.dependencies.writer.openStream(opened, served)
    } catch (cause) {
      this.row = 'refused'
      throw unavailable(5, cause)
    }
  }

  /** From now on, the end of the call is charged what `measure` returns. */
  owe(measure: Measure): void {
    this.measure = measure
  }

  /** From now on `last` ends the call: it settles or releases the hold itself. */
  leaveTo(last: () => void | Promise<void>): void {
    this.last = last
  }

  /** Stops the upstream. Runs once, however the call ends. */
  whenEnded(stop: () => void): void {
    this.stop = stop
  }

  /** Ends the call. The first end counts; later callers get its result: the charge, or null if nothing was charged. */
  end(outcome: Outcome): Promise<Metered | null> {
    // A usual call has nothing to stop and no one to leave its end to.
    this.ending ??=
      this.stop === null && this.last === null ? this.settleOrRelease(outcome) : this.finish(outcome)
    return this.ending
  }

  /** Ends a call if its work stopped without ending it. Never throws. */
  giveUp(): Promise<void> {
    this.isGivenUp = true
    return awaitQuietly(
      () => this.end('failed'),
      error => this.report(error),
    )
  }

  /** Reports an error to the operator. Never throws. */
  report(error: unknown): void {
    reportSafely(error, reported => this.dependencies.reportError(reported, this.admitted.callId))
  }

  /** The reply outlives the work: from now on the writer of the reply must call `end`. The last thing that work does. */
  outlive<Reply>(reply: Reply): Reply {
    this.isOutlived = true
    return reply
  }

  private async finish(outcome: Outcome): Promise<Metered | null> {
    // An upstream that has sent everything may close by itself meanwhile. Its connection then serves the next call.
    if (outcome !== 'completed') this.stopOnce()
    try {
      if (this.last === null) return await this.settleOrRelease(outcome)
      await this.last()
      return null
    } finally {
      this.stopOnce()
    }
  }

  private stopOnce(): void {
    const { stop } = this
    this.stop = null
    if (stop !== null) quietly(stop, error => this.report(error))
  }

  private settleOrRelease(outcome: Outcome): Promise<Metered | null> {
    const metered = this.measureNow(outcome)
    const { isStream } = this
    if (isStream) this.note(() => ({ outcome }))
    if (metered === null) return this.release()
    this.noteCharge(metered, outcome)
    const end = { outcome, kind: isStream ? 'stream' : 'call', facts: this.facts() } as const
    return settle(this.dependencies, metered, end, this)
  }

  refuse(cause: unknown): never {
    throw refuseLateCall(this.lateEnd, this.admitted.callId, cause)
  }

  decideLateEnd(): LateEnd | Promise<LateEnd> {
    const { call, charge, writeLateAnswer, isKeyed } = this
    if (charge === null) return 'charge'
    const { answerKeeper: keeper, signal } = call
    this.lateEnd = decideLateCall({
      outcome: charge.outcome,
      hasFailed: this.isGivenUp,
      hasLeft: !isKeyed && signal.aborted,
      hasBegun: this.isOutlived,
      isKeyed,
    })
    if (this.lateEnd !== 'keep') return this.lateEnd
    if (keeper === null || writeLateAnswer === null) return 'refund'
    return keeper
      .keep(() => writeLateAnswer(charge.metered))
      .catch(error => {
        this.report(error)
        return 'refund'
      })
  }

  noteWritten(): void {
    if (this.lateEnd === 'keep') void this.call.answerKeeper?.noteWritten()
  }

  /** Logs what the call costs: in USD, and the tokens that were charged. */
  noteCharge(metered: Metered, outcome: Outcome): void {
    const { cost, units } = metered
    this.charge = { outcome, metered }
    this.note(() => {
      const { input, output } = countTokens(units)
      return { cost: toUsdNumber(cost), input_tokens: input, output_tokens: output }
    })
  }

  private note(build: () => Readonly<Record<string, unknown>>): void {
    quietly(
      () => this.call.note(build()),
      error => this.report(error),
    )
  }

  /** A charge never waits for its record: it is written even without it. */
  facts(): CallFacts | null {
    try {
      return this.trace.facts()
    } catch (error) {
      this.report(error)
      return null
    }
  }

  /** A call that cannot be measured costs its hold. */
  private measureNow(outcome: Outcome): Metered | null {
    try {
      return this.measure === null ? null : this.measure(outcome)
    } catch (error) {
      this.report(error)
      return chargeHold(this.charged, 'not_metered')
    }
  }

  private async release(): Promise<null> {
    const { writer } = this.dependencies
    const { hold, callId, caller } = this.admitted
    const released = release(this.dependencies, hold)
    this.call.isOnRecord = false
    if (this.row === 'asked') {
      const id = { teamId: caller.team.teamId, callId }
      await awaitQuietly(
        () => writer.dropStream(id),
        error => this.report(error),
      )
    }
    if (released !== null) await released
    return null
  }
}
