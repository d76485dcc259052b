// Grants: ledger rows with a reason and an author, written together with the budget that they raise. Totals are never edited.
import type { GrantTeamsBody } from '@fairgate/contracts/management/bulk.ts'
import type { GrantBody } from '@fairgate/contracts/management/corrections.ts'
import { periodOf } from '../ledger/budget-period.ts'
import { limitsOfEvent } from '../ledger/event-limits.ts'
import { formatUsd, nanoDollars } from '../ledger/money.ts'
import { toAuditRow } from './audit.ts'
import { type BulkOutcome, carryOutBulk, chooseTeams } from './bulk-commands.ts'
import type { CommandDependencies } from './commands.ts'
import { type ActionResult, carryOut, planChange } from './planned-action.ts'
import { refuseKnownAdjustment, refuseValue, requireTeam } from './refusals.ts'
import type { Team } from './types.ts'

/** `granted`: in the current period, including this grant. */
export type GrantedTeam = { readonly adjustmentId: string; readonly granted: number }

type Grant = {
  readonly team: Team
  readonly start: number
  /** In the current period, before and after. */
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
        `only ${before} nano-dollars have been granted to the team "${team.teamId}" in this period.`,
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

  /** The number of the change; null if another process was faster. The next attempt then counts what it wrote. */
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
    if (written.kind === 'known') throw refuseKnownAdjustment(ids.bulkId === null ? null : written.teamId)
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

  /** Teams together may have more than the event's cap; the first grant that exceeds it needs a confirmation. */
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
    grantTeam: (teamId: string, body: GrantBody, actor: string): Promise<ActionResult<GrantedTeam>> =>
      carryOut({ run, clock }, body, {
        plan: now => {
          const team = requireTeam(memory, teamId)
          if (body.amount_nano === 0) throw refuseValue('amount_nano', 'it must not be 0.')
          if (!hasBudget(team, now))
            throw refuseValue(
              'amount_nano',
              `the team "${teamId}" has no budget, so a grant cannot raise it.`,
            )
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

    /** All or none. Teams without a budget need no grant: they are left out, with a warning. */
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
  return `${named.join(', ')}${more}: no budget, so nothing is granted there.`
}
