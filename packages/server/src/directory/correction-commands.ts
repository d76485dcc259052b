// Grants, refunds and other corrections: rows of the ledger with their reason and author, written with what they move, never edits of a total.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { GrantTeamsBody } from '@fairgate/contracts/management/bulk.ts'
import {
  type AdjustBody,
  type GrantBody,
  maxUndeliveredRefunds,
  type RefundBody,
  type RefundUndeliveredBody,
} from '@fairgate/contracts/management/corrections.ts'
import { periodOf } from '../ledger/budget-period.ts'
import { limitsOfEvent } from '../ledger/event-limits.ts'
import { formatUsd, nanoDollars } from '../ledger/money.ts'
import type { CorrectableCall } from '../store/statements/adjustments.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { toAuditRow } from './audit.ts'
import { type BulkOutcome, carryOutBulk, chooseTeams } from './bulk-commands.ts'
import type { CommandDependencies } from './commands.ts'
import type { DirectoryLookups } from './directory-memory.ts'
import { parseRange } from './parse-times.ts'
import { type ActResult, carryOut, carryOutPlan, type Plan, planChange } from './planned-act.ts'
import { refuseValue, requireTeam } from './refusals.ts'
import type { Owner, Team } from './types.ts'

export type CorrectedCall = {
  readonly adjustmentId: string
  readonly teamId: string
  readonly callId: string
  readonly amount: number
  readonly charged: number
  readonly left: number
}

export type RefundedCalls = { readonly bulkId: string; readonly calls: number; readonly amount: number }

/** `granted`: in the present period, with this grant. */
export type GrantedTeam = { readonly adjustmentId: string; readonly granted: number }

const madeBefore = 'A correction of this adjustment_id was made before. Nothing was written now.'

type Grant = {
  readonly team: Team
  readonly start: number
  /** In the present period, before and after. */
  readonly before: number
  readonly granted: number
}

/** Throws ApiError `team_not_found`, `invalid_request`, and `conflict` (409) for an `adjustment_id` that was written before. */
export function createGrantCommands(dependencies: CommandDependencies) {
  const { memory, write, run, clock, newId } = dependencies
  const hasBudget = (team: Team, now: number) =>
    (limitsOfEvent(memory.event(), now)?.teamBudget ?? team.maxBudget) !== null

  const planGrant = (team: Team, amount: number, now: number): Grant => {
    const since = limitsOfEvent(memory.event(), now)?.since ?? null
    const { start } = periodOf(team.budgetDuration, team.budgetAnchor, now, since)
    const before = team.granted?.periodStart === start ? team.granted.amount : 0
    const granted = before + amount
    if (granted < 0 || !Number.isSafeInteger(granted))
      throw refuseValue(
        'amount_nano',
        `only ${before} nano-dollars are granted to the team "${team.teamId}" in this period.`,
      )
    return { team, start, before, granted }
  }

  type Ids = { readonly adjustmentId: string; readonly bulkId: string | null }

  const buildRows = (
    { team: { teamId }, start, before, granted }: Grant,
    { adjustmentId, bulkId }: Ids,
    { amount_nano, reason }: GrantBody,
    actor: string,
    now: number,
  ) => {
    const states = { before: { granted_nano: before }, after: { granted_nano: granted } }
    const audited = { action: 'team.grant', teamId, target: teamId, ...states }
    const kind = 'grant' as const
    return {
      adjustment: {
        ...{ team_id: teamId, adjustment_id: adjustmentId, kind, amount_nano },
        ...{ call_id: null, key_hash: null, model_id: null },
        ...{ team_period: start, key_period: 0, at: now, actor, reason, bulk_id: bulkId },
      },
      audit: toAuditRow({ now, actor, reason, bulkId }, audited),
    }
  }

  /** The number of the change; null when another process was faster: the next try sees what it has written. */
  const writeGrants = async (
    grants: readonly Grant[],
    ids: Ids,
    body: GrantBody,
    actor: string,
    now: number,
  ): Promise<number | null> => {
    const rows = grants.map(grant => ({ grant, ...buildRows(grant, ids, body, actor, now) }))
    const written = await write.grantTeams({
      grants: rows.map(({ grant: { team, granted }, adjustment }) => ({
        ...{ adjustment, granted },
        seen: memory.versionOf(team),
      })),
      audit: rows.map(({ audit }) => audit),
    })
    if (written.kind === 'known') {
      const whose = ids.bulkId === null ? '' : `Team "${written.teamId}": `
      throw new ApiError('conflict', { param: 'adjustment_id', message: `${whose}${madeBefore}` })
    }
    if (written.kind === 'outdated') return null
    const teams = grants.map(({ team, start, granted }) => ({
      ...team,
      granted: { amount: nanoDollars(granted), periodStart: start },
    }))
    memory.note(written.version, { teams })
    return written.version
  }

  const planChanges = (grants: readonly Grant[]) => ({
    changes: grants.flatMap(({ team, before, granted }) =>
      planChange('granted_nano', team.teamId, before, granted),
    ),
    basis: grants.map(({ team }) => memory.versionOf(team)),
  })

  /** Teams may have more together than the event's cap; a grant that begins it is asked about. */
  const warnOfCap = (grants: readonly Grant[], amount: number, now: number): string[] => {
    const limits = limitsOfEvent(memory.event(), now)
    if (limits === null || limits.cap === null) return []
    const before = memory.teams().reduce((sum, team) => {
      const granted = planGrant(team, 0, now).granted
      return sum + (limits.teamBudget ?? team.maxBudget ?? 0) + granted
    }, 0)
    const after = before + grants.length * amount
    if (before > limits.cap || after <= limits.cap) return []
    return [
      `The budgets of all teams would add up to $${formatUsd(nanoDollars(Math.min(after, Number.MAX_SAFE_INTEGER)))}, more than the cap of $${formatUsd(limits.cap)} for the event.`,
    ]
  }

  return {
    grantTeam: (teamId: string, body: GrantBody, actor: string): Promise<ActResult<GrantedTeam>> =>
      carryOut({ run, clock }, body, {
        plan: now => {
          const team = requireTeam(memory, teamId)
          if (body.amount_nano === 0) throw refuseValue('amount_nano', 'it must not be 0.')
          if (!hasBudget(team, now))
            throw refuseValue('amount_nano', `the team "${teamId}" has no budget that a grant could raise.`)
          const grant = planGrant(team, body.amount_nano, now)
          return {
            plan: { ...planChanges([grant]), warnings: warnOfCap([grant], body.amount_nano, now) },
            grant,
          }
        },
        make: async ({ grant }, now) => {
          const adjustmentId = body.adjustment_id ?? newId()
          const version = await writeGrants([grant], { adjustmentId, bulkId: null }, body, actor, now)
          if (version === null) return null
          return { version, result: { adjustmentId, granted: grant.granted } }
        },
      }),

    /** All or none. Teams without a budget need no grant: they are left out, which is a warning. */
    grantTeams: async (body: GrantTeamsBody, actor: string): Promise<BulkOutcome> => {
      if (body.amount_nano === 0) throw refuseValue('amount_nano', 'it must not be 0.')
      return await carryOutBulk(
        dependencies,
        body,
        now => {
          const chosen = chooseTeams(memory, body)
          const grants = chosen
            .filter(team => hasBudget(team, now))
            .map(team => planGrant(team, body.amount_nano, now))
          const without = chosen.filter(team => !hasBudget(team, now))
          const warnings = [
            ...(without.length === 0 ? [] : [warnOfNoBudget(without)]),
            ...warnOfCap(grants, body.amount_nano, now),
          ]
          return { plan: { ...planChanges(grants), warnings }, teams: chosen.length, altered: grants }
        },
        (grants, bulkId, now) =>
          writeGrants(grants, { adjustmentId: body.adjustment_id ?? bulkId, bulkId }, body, actor, now),
      )
    },
  }
}

function warnOfNoBudget(teams: readonly Team[]): string {
  const named = teams.slice(0, 3).map(({ teamId }) => `"${teamId}"`)
  const more = teams.length > named.length ? ` and ${teams.length - named.length} more` : ''
  return `${named.join(', ')}${more}: no budget that a grant could raise. Nothing is granted there.`
}

export type CorrectionDependencies = Pick<World, 'clock' | 'newId'> & {
  readonly read: Pick<Store['read'], 'readCorrectableCall' | 'hasAdjustment' | 'readUndelivered'>
  readonly write: Pick<Store['write'], 'writeAdjustment'>
  /** What counts in force; see `Limits`. */
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
  /** Of this process, whose rows of totals are moved. */
  readonly slot: () => number
}

/** Corrections of calls, in the periods that they were charged in. Throws ApiError `call_not_found`, `invalid_request`, and 409 `conflict` or `preview_outdated`. */
export class CallCorrections {
  readonly #dependencies: CorrectionDependencies

  constructor(dependencies: CorrectionDependencies) {
    this.#dependencies = dependencies
  }

  /** Gives back what is named, or all that is left of the charge. */
  async refund(callId: string, body: RefundBody, actor: string): Promise<ActResult<CorrectedCall>> {
    const call = await this.#find(callId, body)
    if (call.left <= 0)
      throw new ApiError('conflict', {
        message: 'Nothing is left of the charge of this call. Nothing was written.',
      })
    const amount = body.amount_nano ?? call.left
    return await this.#correct('refund', call, { ...body, amount_nano: -amount }, actor)
  }

  /**
   * Refunds what is left of calls whose answers were withheld in a range of time. Each refund is a row of its own, so that an action that
   * fails on the way is simply repeated.
   */
  async refundUndelivered(body: RefundUndeliveredBody, actor: string): Promise<ActResult<RefundedCalls>> {
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

  /** For an answer that died with its process. Refunds once, however often and from however many processes it is called. */
  async refundLostAnswer(callId: string): Promise<void> {
    const call = await this.#dependencies.read.readCorrectableCall({ callId })
    if (call === null || call.left <= 0) return
    const reason = 'The process ended before the answer of this call was on record.'
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

  async adjust(callId: string, body: AdjustBody, actor: string): Promise<ActResult<CorrectedCall>> {
    if (body.amount_nano === 0) throw refuseValue('amount_nano', 'it must not be 0.')
    return await this.#correct('adjust', await this.#find(callId, body), body, actor)
  }

  /** A correction that was made is known by its id before its preview is looked at: what is left of the call has changed by it. */
  async #find(
    callId: string,
    { adjustment_id: id }: Pick<AdjustBody, 'adjustment_id'>,
  ): Promise<CorrectableCall> {
    const { read } = this.#dependencies
    const call = await read.readCorrectableCall({ callId })
    if (call === null)
      throw new ApiError('call_not_found', { param: 'call_id', message: 'No such call was charged.' })
    if (typeof id === 'string' && (await read.hasAdjustment({ teamId: call.teamId, adjustmentId: id })))
      throw refuseKnown()
    return call
  }

  /** Those that cover its admission by the rules of now: a charge does not keep them. A deleted key has no rules any more. */
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
  ): Promise<ActResult<CorrectedCall>> {
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
    if (outcome === 'known') throw refuseKnown()
    if (outcome === 'too_much') throw refuseTooMuch(call)
    limits.adjust({ teamId, keyHash, modelId, periods: { team: teamPeriod, key: keyPeriod }, amount })
    return { adjustmentId, teamId, callId, amount, charged, left: left + amount }
  }
}

/** One for each call: two requests cannot both refund it. */
function undeliveredId({ callId }: CorrectableCall): string {
  return `undelivered-${callId}`
}

function refuseKnown(): ApiError {
  return new ApiError('conflict', { param: 'adjustment_id', message: madeBefore })
}

function refuseTooMuch({ charged, left }: CorrectableCall): ApiError {
  return refuseValue('amount_nano', `only ${left} nano-dollars are left of the charge of ${charged}.`)
}
