// Refunds and other corrections of calls: ledger rows with a reason and an author, written together with the totals that they change. Totals are
// never edited.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import {
  type AdjustBody,
  maxUndeliveredRefunds,
  type RefundBody,
  type RefundUndeliveredBody,
} from '@fairgate/contracts/management/corrections.ts'
import { periodOf } from '../ledger/budget-period.ts'
import { limitsOfEvent } from '../ledger/event-limits.ts'
import type { CorrectableCall } from '../store/statements/adjustments.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { toAuditRow } from './audit.ts'
import type { DirectoryLookups } from './directory-memory.ts'
import { parseRange } from './parse-times.ts'
import { type ActionResult, carryOutPlan, type Plan, planChange } from './planned-action.ts'
import { refuseKnownAdjustment, refuseValue, requireTeam } from './refusals.ts'
import type { Owner } from './types.ts'

export type CorrectedCall = {
  readonly adjustmentId: string
  readonly teamId: string
  readonly callId: string
  readonly amount: number
  readonly charged: number
  readonly left: number
}

export type RefundedCalls = { readonly bulkId: string; readonly calls: number; readonly amount: number }

export type CorrectionDependencies = Pick<World, 'clock' | 'newId'> & {
  readonly read: Pick<Store['read'], 'readCorrectableCall' | 'hasAdjustment' | 'readUndelivered'>
  readonly write: Pick<Store['write'], 'writeAdjustment'>
  /** The current limits; see `Limits`. */
  readonly limits: {
    readonly adjust: (correction: {
      readonly teamId: string
      readonly keyHash: string
      readonly modelId: string
      readonly periods: { readonly team: number; readonly key: number }
      readonly amount: number
    }) => void
  }
  readonly directory: Pick<DirectoryLookups, 'findTeam' | 'findKey' | 'event'>
  /** The totals of this process, which the correction changes. */
  readonly slot: () => number
}

/**
 * Corrections of calls, in the periods that the calls were charged in. Throws ApiError `call_not_found`, `invalid_request`, and 409
 * `conflict` or `preview_outdated`.
 */
export class CallCorrections {
  readonly #dependencies: CorrectionDependencies

  constructor(dependencies: CorrectionDependencies) {
    this.#dependencies = dependencies
  }

  /** Refunds the given amount, or all that is left of the charge. */
  async refund(callId: string, body: RefundBody, actor: string): Promise<ActionResult<CorrectedCall>> {
    const call = await this.#find(callId, body)
    if (call.left <= 0)
      throw new ApiError('conflict', {
        message: "This call's charge has been fully refunded already. Nothing was written.",
      })
    const amount = body.amount_nano ?? call.left
    return await this.#correct('refund', call, { ...body, amount_nano: -amount }, actor)
  }

  /**
   * Refunds the rest of each call with a withheld answer within a time range. Each refund is its own row, so an action that fails halfway is
   * simply repeated.
   */
  async refundUndelivered(body: RefundUndeliveredBody, actor: string): Promise<ActionResult<RefundedCalls>> {
    const { read, newId } = this.#dependencies
    const { reason } = body
    const range = parseRange(body)
    const withheld = await read.readUndelivered({ ...range, limit: maxUndeliveredRefunds + 1 })
    if (withheld.length > maxUndeliveredRefunds)
      throw refuseValue(
        'until',
        `more than ${maxUndeliveredRefunds} answers were withheld in this range; choose a shorter one.`,
      )
    const found = await Promise.all(withheld.map(({ callId }) => read.readCorrectableCall({ callId })))
    const calls = found.flatMap(call => (call === null || call.left <= 0 ? [] : [call]))
    const changes = calls.flatMap(({ callId, left }) => planChange('call.left_nano', callId, left, 0))
    const basis = calls.map(({ charged }) => charged)
    return await carryOutPlan({ changes, basis }, body, async () => {
      const bulkId = `bulk_${newId()}`
      const refunded: CorrectedCall[] = []
      for (const call of calls) {
        const correction = { amount_nano: -call.left, reason, adjustment_id: undeliveredId(call) }
        const made = await this.#writeOnce(call, correction, actor, bulkId)
        if (made !== null) refunded.push(made)
      }
      return { bulkId, calls: refunded.length, amount: refunded.reduce((sum, { amount }) => sum + amount, 0) }
    })
  }

  /** For an answer lost when its process ended. Refunds once, no matter how often and from how many processes it is called. */
  async refundLostAnswer(callId: string): Promise<void> {
    const call = await this.#dependencies.read.readCorrectableCall({ callId })
    if (call === null || call.left <= 0) return
    const reason = 'The process ended before the answer of this call was recorded.'
    const correction = { amount_nano: -call.left, reason, adjustment_id: undeliveredId(call) }
    await this.#writeOnce(call, correction, 'fairgate', null)
  }

  /** Null if another request has refunded the call first. */
  async #writeOnce(
    call: CorrectableCall,
    correction: AdjustBody,
    actor: string,
    bulkId: string | null,
  ): Promise<CorrectedCall | null> {
    try {
      return await this.#write('refund', call, correction, actor, bulkId)
    } catch (error) {
      if (error instanceof ApiError && (error.code === 'conflict' || error.code === 'invalid_request'))
        return null
      throw error
    }
  }

  async adjust(callId: string, body: AdjustBody, actor: string): Promise<ActionResult<CorrectedCall>> {
    if (body.amount_nano === 0) throw refuseValue('amount_nano', 'it must not be 0.')
    return await this.#correct('adjust', await this.#find(callId, body), body, actor)
  }

  /** Looks for an earlier correction with the same id before it checks the preview, because that correction has changed the rest. */
  async #find(
    callId: string,
    { adjustment_id: id }: Pick<AdjustBody, 'adjustment_id'>,
  ): Promise<CorrectableCall> {
    const { read } = this.#dependencies
    const call = await read.readCorrectableCall({ callId })
    if (call === null)
      throw new ApiError('call_not_found', {
        param: 'call_id',
        message: 'No charge was found for this call.',
      })
    if (typeof id === 'string' && (await read.hasAdjustment({ teamId: call.teamId, adjustmentId: id })))
      throw refuseKnownAdjustment()
    return call
  }

  /** The accounts that cover its admission by the current rules, since a charge does not store them. A deleted key has no rules left. */
  #periodsOf({ teamId, keyHash, admittedAt }: CorrectableCall) {
    const { directory } = this.#dependencies
    const since = limitsOfEvent(directory.event(), admittedAt)?.since ?? null
    const team = requireTeam(directory, teamId)
    const startOf = ({ budgetDuration, budgetAnchor }: Owner) =>
      periodOf(budgetDuration, budgetAnchor, admittedAt, since).start
    return { teamPeriod: startOf(team), keyPeriod: startOf(directory.findKey(keyHash) ?? team) }
  }

  async #correct(
    kind: 'refund' | 'adjust',
    call: CorrectableCall,
    body: AdjustBody,
    actor: string,
  ): Promise<ActionResult<CorrectedCall>> {
    const { charged, left } = call
    const amount = body.amount_nano
    if (left + amount < 0) throw refuseTooMuch(call)
    const changes = planChange('call.left_nano', call.callId, left, left + amount)
    const plan: Plan = { changes, basis: [charged] }
    return await carryOutPlan(plan, body, () => this.#write(kind, call, body, actor))
  }

  async #write(
    kind: 'refund' | 'adjust',
    call: CorrectableCall,
    { amount_nano: amount, reason, adjustment_id, preview_id }: AdjustBody,
    actor: string,
    bulkId: string | null = null,
  ): Promise<CorrectedCall> {
    const { write, limits, slot, clock, newId } = this.#dependencies
    const { callId, teamId, keyHash, modelId, charged, left } = call
    const { teamPeriod, keyPeriod } = this.#periodsOf(call)
    const now = clock()
    const adjustmentId = adjustment_id ?? newId()
    const states = { before: { left_nano: left }, after: { left_nano: left + amount } }
    const outcome = await write.writeAdjustment({
      adjustment: {
        team_id: teamId,
        adjustment_id: adjustmentId,
        kind,
        call_id: callId,
        key_hash: keyHash,
        model_id: modelId,
        amount_nano: amount,
        team_period: teamPeriod,
        key_period: keyPeriod,
        at: now,
        actor,
        reason,
        bulk_id: bulkId,
      },
      audit: toAuditRow(
        { now, actor, reason, bulkId },
        { action: `call.${kind}`, teamId, target: callId, ...states },
      ),
      slot: slot(),
      seenLeft: typeof preview_id === 'string' ? left : null,
    })
    if (outcome === 'outdated') throw new ApiError('preview_outdated')
    if (outcome === 'known') throw refuseKnownAdjustment()
    if (outcome === 'too_much') throw refuseTooMuch(call)
    limits.adjust({ teamId, keyHash, modelId, periods: { team: teamPeriod, key: keyPeriod }, amount })
    return { adjustmentId, teamId, callId, amount, charged, left: left + amount }
  }
}

/** One at a time for each call, so that two requests cannot both refund it. */
function undeliveredId({ callId }: CorrectableCall): string {
  return `undelivered-${callId}`
}

function refuseTooMuch({ charged, left }: CorrectableCall): ApiError {
  return refuseValue(
    'amount_nano',
    `only ${left} of the charge of ${charged} nano-dollars are left to refund.`,
  )
}
