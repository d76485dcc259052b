// Joins teams and keys with their spend. Both the gateway and the management API return these records.
import type { KeyInfo } from '@fairgate/contracts/info/key-record.ts'
import type { TeamInfo } from '@fairgate/contracts/info/team-record.ts'
import type { KeyRow } from '@fairgate/contracts/management/key-bodies.ts'
import type { Directory } from '../directory/create-directory.ts'
import { eventLimitsAt } from '../directory/event/event-limits-at.ts'
import { buildKeyRecord, buildTeamInfo, type KeyWithSpend } from '../directory/records.ts'
import type { Key, Team } from '../directory/types.ts'
import { type BudgetPeriod, periodOf } from '../ledger/budget-period.ts'
import { toUsdNumber } from '../ledger/money.ts'
import type { World } from '../world/world.ts'
import type { Limits, OwnerPeriod } from './port.ts'
import { budgetOf } from './team-budgets.ts'

export type RecordDependencies = Pick<World, 'clock'> & {
  readonly directory: Pick<Directory, 'keysOfTeam' | 'event'>
  readonly limits: Pick<Limits, 'readSpend' | 'readModelSpend'>
}

export type OwnerRecords = ReturnType<typeof createOwnerRecords>

/** Asks the limits once, however many records are requested. All members reject as the limits do. */
export function createOwnerRecords({ directory, limits, clock }: RecordDependencies) {
  const eventNow = () => eventLimitsAt(directory.event(), clock())
  const periodNow = ({ budgetDuration, budgetAnchor }: Key | Team): BudgetPeriod =>
    periodOf(budgetDuration, budgetAnchor, clock(), eventNow()?.since ?? null)

  const keyInfos = async (keys: readonly Key[]): Promise<KeyInfo[]> => {
    const asked = keys.map(key => ({ key, period: periodNow(key) }))
    const [spends, modelSpends] = await Promise.all([
      limits.readSpend(asked.map(({ key, period }) => ownerOfKey(key, period))),
      limits.readModelSpend(
        asked.map(({ key: { teamId, keyHash }, period }) => ({ teamId, keyHash, periodStart: period.start })),
      ),
    ])
    return asked.map(({ key, period }, index) => {
      const modelSpend: Record<string, number> = {}
      for (const { modelId, spent } of answerAt(modelSpends, index)) modelSpend[modelId] = toUsdNumber(spent)
      return buildKeyRecord(key, {
        spend: answerAt(spends, index).spent,
        modelSpend,
        budgetResetAt: period.end,
      })
    })
  }
  const keyInfo = async (key: Key): Promise<KeyInfo> => answerAt(await keyInfos([key]), 0)

  const teamInfos = async (teams: readonly Team[]): Promise<TeamInfo[]> => {
    const asked = teams.map(team => ({
      team,
      period: periodNow(team),
      keys: directory.keysOfTeam(team.teamId),
    }))
    const spends = await limits.readSpend(
      asked.flatMap(({ team: { teamId }, period, keys }): OwnerPeriod[] => [
        { owner: { kind: 'team', teamId }, periodStart: period.start },
        ...keys.map(key => ownerOfKey(key, periodNow(key))),
      ]),
    )
    let next = 0
    const takeSpend = () => answerAt(spends, next++)
    return asked.map(({ team, period, keys }) => {
      const { spent, held } = takeSpend()
      const withSpend = keys.map((key): KeyWithSpend => ({ key, spend: takeSpend().spent }))
      const budget = budgetOf(team, eventNow(), period.start)
      return buildTeamInfo(team, { spent, held, budget, budgetResetAt: period.end, keys: withSpend })
    })
  }

  const teamInfo = async (team: Team): Promise<TeamInfo> => answerAt(await teamInfos([team]), 0)

  /** The record as the team sees it: `max_budget` is the budget that applies now. */
  const teamInfoInForce = (team: Team): Promise<TeamInfo> =>
    teamInfo({ ...team, maxBudget: budgetOf(team, eventNow(), periodNow(team).start) })

  return {
    keyInfo,
    keyRow: async (key: Key): Promise<KeyRow> => toRow(await keyInfo(key)),
    keyRows: async (keys: readonly Key[]): Promise<KeyRow[]> => (await keyInfos(keys)).map(toRow),
    teamInfo,
    teamInfoInForce,
    teamInfos,
  }
}

function ownerOfKey({ teamId, keyHash }: Key, { start }: BudgetPeriod): OwnerPeriod {
  return { owner: { kind: 'key', teamId, keyHash }, periodStart: start }
}

function toRow({ key, info }: KeyInfo): KeyRow {
  return { token: key, token_id: key, ...info }
}

function answerAt<Answer>(answers: readonly Answer[], index: number): Answer {
  const answer = answers[index]
  if (answer === undefined) throw new Error('The limits answer every question.')
  return answer
}
