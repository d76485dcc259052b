// Grants, refunds and other corrections: rows of the ledger with their reason and author, written with what they move, never edits of a total.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { GrantTeamsBody } from '@fairgate/contracts/management/bulk.ts'
import type { AdjustBody, GrantBody, RefundBody } from '@fairgate/contracts/management/corrections.ts'
import { periodOf } from '../ledger/budget-period.ts'
import { limitsOfEvent } from '../ledger/event-limits.ts'
import { nanoDollars } from '../ledger/money.ts'
import type { CorrectableCall } from '../store/statements/adjustments.ts'
import type { Store } from '../store/store.ts'
import type { BulkOutcome } from './bulk-commands.ts'
import { chooseTeams } from './choose-teams.ts'
import type { CommandDependencies } from './commands.ts'
import type { DirectoryLookups } from './directory-memory.ts'
import { toAuditRow } from './directory-rows.ts'
import { describeOutcome, mayCarryOut, type Plan, planChange } from './planned-act.ts'
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

const madeBefore = 'A correction of this adjustment_id was made before. Nothing was written now.'

type Grant = {
  readonly team: Team
  readonly start: number
  /** In the present period, before and after. */
  readonly before: number
  readonly granted: number
}

/** Throws ApiError `team_not_found`, `invalid_request`, and `conflict` (409) for an `adjustment_id` that was written before. */
export function createGrantCommands({ memory, write, run, clock, newId }: CommandDependencies) {
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

  const buildRows = (
    { team: { teamId }, start, before, granted }: Grant,
    { adjustmentId, bulkId }: { readonly adjustmentId: string; readonly bulkId: string | null },
    { amount_nano, reason }: GrantBody,
    actor: string,
    now: number,
  ) => {
    const states = { before: { granted_nano: before }, after: { granted_nano: granted } }
    const audited = { action: 'team.grant', actor, teamId, target: teamId, ...states }
    const kind = 'grant' as const
    return {
      adjustment: {
        ...{ team_id: teamId, adjustment_id: adjustmentId, kind, amount_nano },
        ...{ call_id: null, key_hash: null, model_id: null },
        ...{ team_period: start, key_period: 0, at: now, actor, reason, bulk_id: bulkId },
      },
      audit: { ...toAuditRow(now, audited), reason, bulk_id: bulkId },
    }
  }

  const withGrant = ({ team, start, granted }: Grant): Team => ({
    ...team,
    granted: { amount: nanoDollars(granted), periodStart: start },
  })

  return {
    grantTeam: (teamId: string, body: GrantBody, actor: string) =>
      run(async () => {
        const team = requireTeam(memory, teamId)
        const now = clock()
        if (body.amount_nano === 0) throw refuseValue('amount_nano', 'it must not be 0.')
        if (!hasBudget(team, now))
          throw refuseValue('amount_nano', `the team "${teamId}" has no budget that a grant could raise.`)
        const grant = planGrant(team, body.amount_nano, now)
        const adjustmentId = body.adjustment_id ?? newId()
        const rows = buildRows(grant, { adjustmentId, bulkId: null }, body, actor, now)
        // A grant moves no totals.
        const outcome = await write.writeAdjustment({ ...rows, slot: 0 })
        if (outcome.kind === 'known')
          throw new ApiError('conflict', { param: 'adjustment_id', message: madeBefore })
        // Another process was faster: the next try sees what it has written.
        if (outcome.kind !== 'written' || outcome.version === null) return null
        memory.note(outcome.version, { team: withGrant(grant) })
        return { version: outcome.version, result: { adjustmentId, granted: grant.granted } }
      }),

    /** All or none. Teams without a budget need no grant: they are left out, which is a warning. */
    grantTeams: async (body: GrantTeamsBody, actor: string): Promise<BulkOutcome> => {
      if (body.amount_nano === 0) throw refuseValue('amount_nano', 'it must not be 0.')
      const plan = () => {
        const now = clock()
        const chosen = chooseTeams(memory, body)
        const grants = chosen
          .filter(team => hasBudget(team, now))
          .map(team => planGrant(team, body.amount_nano, now))
        const without = chosen.filter(team => !hasBudget(team, now))
        const made: Plan = {
          changes: grants.flatMap(({ team, before, granted }) =>
            planChange('granted_nano', team.teamId, before, granted),
          ),
          warnings: without.length === 0 ? [] : [warnOfNoBudget(without)],
          basis: grants.map(({ team }) => memory.versionOf(team)),
        }
        return { now, grants, made, teams: chosen.length, isToBeMade: mayCarryOut(made, body) }
      }
      if (body.dry_run === true) {
        const { made, teams } = plan()
        return { ...describeOutcome(made, false), teams, bulkId: null }
      }
      return await run<BulkOutcome>(async () => {
        const { now, grants, made, teams } = plan()
        const outcome = { ...describeOutcome(made, true), teams }
        if (grants.length === 0) return { version: memory.version(), result: { ...outcome, bulkId: null } }
        const bulkId = `bulk_${newId()}`
        const ids = { adjustmentId: body.adjustment_id ?? bulkId, bulkId }
        const rows = grants.map(grant => ({ grant, ...buildRows(grant, ids, body, actor, now) }))
        const written = await write.grantTeams({
          grants: rows.map(({ grant: { team, granted }, adjustment }) => ({
            ...{ adjustment, granted },
            seen: memory.versionOf(team),
          })),
          audit: rows.map(({ audit }) => audit),
        })
        if (written.kind === 'known')
          throw new ApiError('conflict', {
            param: 'adjustment_id',
            message: `Team "${written.teamId}": ${madeBefore}`,
          })
        if (written.kind === 'outdated') return null
        memory.note(written.version, { teams: grants.map(withGrant) })
        return { version: written.version, result: { ...outcome, bulkId } }
      })
    },
  }
}

function warnOfNoBudget(teams: readonly Team[]): string {
  const named = teams.slice(0, 3).map(({ teamId }) => `"${teamId}"`)
  const more = teams.length > named.length ? ` and ${teams.length - named.length} more` : ''
  return `${named.join(', ')}${more}: no budget that a grant could raise. Nothing is granted there.`
}

export type CorrectionDependencies = {
  readonly read: Pick<Store['read'], 'readCorrectableCall'>
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
  /** Unix ms. */
  readonly clock: () => number
  readonly newId: () => string
}

/** Corrections of calls, in the periods that they were charged in. Throws ApiError `call_not_found`, `invalid_request`, `conflict` (409). */
export class CallCorrections {
  readonly #dependencies: CorrectionDependencies

  constructor(dependencies: CorrectionDependencies) {
    this.#dependencies = dependencies
  }

  /** Gives back what is named, or all that is left of the charge. */
  async refund(callId: string, body: RefundBody, actor: string): Promise<CorrectedCall> {
    const call = await this.#find(callId)
    if (call.left <= 0)
      throw new ApiError('conflict', {
        message: 'Nothing is left of the charge of this call. Nothing was written.',
      })
    const amount = body.amount_nano ?? call.left
    return await this.#write('refund', call, { ...body, amount_nano: -amount }, actor)
  }

  async adjust(callId: string, body: AdjustBody, actor: string): Promise<CorrectedCall> {
    if (body.amount_nano === 0) throw refuseValue('amount_nano', 'it must not be 0.')
    return await this.#write('adjust', await this.#find(callId), body, actor)
  }

  async #find(callId: string): Promise<CorrectableCall> {
    const call = await this.#dependencies.read.readCorrectableCall({ callId })
    if (call !== null) return call
    throw new ApiError('call_not_found', { param: 'call_id', message: 'No such call was charged.' })
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

  async #write(
    kind: 'refund' | 'adjust',
    call: CorrectableCall,
    { amount_nano: amount, reason, adjustment_id }: AdjustBody,
    actor: string,
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
        bulk_id: null,
      },
      audit: {
        ...toAuditRow(now, { action: `call.${kind}`, actor, teamId, target: callId, ...states }),
        reason,
      },
      slot: slot(),
    })
    if (outcome.kind === 'known')
      throw new ApiError('conflict', { param: 'adjustment_id', message: madeBefore })
    if (outcome.kind !== 'written')
      throw refuseValue('amount_nano', `only ${left} nano-dollars are left of the charge of ${charged}.`)
    limits.adjust({ teamId, keyHash, modelId, periods: { team: teamPeriod, key: keyPeriod }, amount })
    return { adjustmentId, teamId, callId, amount, charged, left: left + amount }
  }
}
