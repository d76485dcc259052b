// Joins teams and keys with what they have spent: the records that the gateway's and the management calls both answer.
import type { KeyInfo } from '@fairgate/contracts/info/key-record.ts'
import type { TeamInfo } from '@fairgate/contracts/info/team-record.ts'
import type { KeyRow } from '@fairgate/contracts/management/key-bodies.ts'
import type { Directory } from '../directory/create-directory.ts'
import { buildKeyRecord, buildTeamInfo } from '../directory/records.ts'
import type { Key, Team } from '../directory/types.ts'
import { periodOf } from '../ledger/budget-period.ts'
import { toUsdNumber } from '../ledger/money.ts'
import type { Limits } from './port.ts'

export type RecordDependencies = {
  readonly directory: Pick<Directory, 'keysOfTeam'>
  readonly limits: Pick<Limits, 'spendOf' | 'modelsOf'>
  /** Unix ms. */
  readonly clock: () => number
}

export type OwnerRecords = ReturnType<typeof createOwnerRecords>

export function createOwnerRecords({ directory, limits, clock }: RecordDependencies) {
  const keyInfo = (key: Key): KeyInfo => {
    const { keyHash } = key
    const period = periodOf(key.budgetDuration, key.budgetAnchor, clock())
    const modelSpend: Record<string, number> = {}
    for (const modelId of limits.modelsOf(keyHash)) {
      const { spent } = limits.spendOf({ kind: 'key_model', keyHash, modelId }, period.start)
      if (spent > 0) modelSpend[modelId] = toUsdNumber(spent)
    }
    const { spent } = limits.spendOf({ kind: 'key', keyHash }, period.start)
    return buildKeyRecord(key, { spend: spent, modelSpend, budgetResetAt: period.end })
  }
  const withSpend = (key: Key) => {
    const { start } = periodOf(key.budgetDuration, key.budgetAnchor, clock())
    return { key, spend: limits.spendOf({ kind: 'key', keyHash: key.keyHash }, start).spent }
  }
  return {
    keyInfo,
    keyRow: (key: Key): KeyRow => ({ token: key.keyHash, token_id: key.keyHash, ...keyInfo(key).info }),
    teamInfo: (team: Team): TeamInfo => {
      const period = periodOf(team.budgetDuration, team.budgetAnchor, clock())
      return buildTeamInfo(team, {
        ...limits.spendOf({ kind: 'team', teamId: team.teamId }, period.start),
        budgetResetAt: period.end,
        keys: directory.keysOfTeam(team.teamId).map(withSpend),
      })
    },
  }
}
