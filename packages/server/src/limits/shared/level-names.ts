// Names the levels of a call as the database does, and the locks that an admission takes for them. Computed once for each `Levels`.
import type { LimitLevel } from '../../ledger/admission.ts'
import type { BudgetLimit, Levels, OwnerRef } from '../port.ts'

/** A row of `limit_states`. The team is empty for what the whole service shares. */
export type NamedLevel = {
  readonly teamId: string
  readonly name: string
  /** Kind for `admit_2`: 0 has windows only, the others hold money as well. */
  readonly kind: 0 | 1 | 2 | 3 | 4
}

export type NamedRate = NamedLevel & {
  readonly level: LimitLevel
  readonly requests: number | null
  readonly tokens: number | null
}

export type NamedBudget = BudgetLimit & { readonly name: NamedLevel }

export type LevelNames = {
  readonly team: NamedLevel
  readonly key: NamedLevel
  /** Null for a call for information. */
  readonly keyModel: NamedLevel | null
  /** Null if the event has no cap. */
  readonly event: NamedLevel | null
  /** In the order of `levels.rates`. */
  readonly rates: readonly NamedRate[]
  /** In the order of `levels.budgets`. */
  readonly budgets: readonly NamedBudget[]
}

const known = new WeakMap<Levels, LevelNames>()

export function findLevelNames(levels: Levels): LevelNames {
  let names = known.get(levels)
  if (names === undefined) {
    names = nameLevels(levels)
    known.set(levels, names)
  }
  return names
}

function nameLevels(levels: Levels): LevelNames {
  const { teamId, keyHash, modelId } = levels
  const owners = nameOwners({ teamId, keyHash, modelId })
  return {
    ...owners,
    event: levels.budgets.some(({ level }) => level === 'event') ? eventLevel : null,
    rates: levels.rates.map(rate => ({ ...rate, ...nameOf(levels, rate.level) })),
    budgets: levels.budgets.map(budget => ({ ...budget, name: nameOf(levels, budget.level) })),
  }
}

/** Names the owners that pay for a call. */
export function nameOwners({
  teamId,
  keyHash,
  modelId,
}: Pick<Levels, 'teamId' | 'keyHash' | 'modelId'>): Pick<LevelNames, 'team' | 'key' | 'keyModel'> {
  return {
    team: { teamId, name: `team:${teamId}`, kind: 1 },
    key: { teamId, name: `key:${keyHash}`, kind: 2 },
    keyModel: modelId === null ? null : { teamId, name: `key_model:${keyHash}:${modelId}`, kind: 3 },
  }
}

function nameOf({ teamId, keyHash, modelId }: Levels, level: LimitLevel): NamedLevel {
  switch (level) {
    case 'team':
      return { teamId, name: `team:${teamId}`, kind: 1 }
    case 'key':
      return { teamId, name: `key:${keyHash}`, kind: 2 }
    case 'key_model':
      return { teamId, name: `key_model:${keyHash}:${modelId}`, kind: 3 }
    case 'team_model':
      return { teamId, name: `team_model:${teamId}:${modelId}`, kind: 0 }
    case 'service_model':
      return { teamId: '', name: `service_model:${modelId}`, kind: 0 }
    case 'event':
      return eventLevel
  }
}

export const eventLevel: NamedLevel = { teamId: '', name: 'event', kind: 4 }

/** Name as in `totals`. */
export function nameOwner(owner: OwnerRef): Pick<NamedLevel, 'teamId' | 'name'> {
  if (owner.kind === 'event') return eventLevel
  const { teamId } = owner
  if (owner.kind === 'team') return { teamId, name: `team:${teamId}` }
  const name = owner.kind === 'key' ? `key:${owner.keyHash}` : `key_model:${owner.keyHash}:${owner.modelId}`
  return { teamId, name }
}

/**
 * Number of the advisory lock that guards a level: one per team, and one per model of the service. Service locks are negative, so they are
 * taken first. All are outside the number that marks a database as in use, and 0 is that of `announce_1`. Two levels that share a number
 * only wait for each other.
 */
export function lockOf({ teamId, name }: Pick<NamedLevel, 'teamId' | 'name'>): number {
  return teamId === '' ? -1 - hashText(name) : 2 ** 33 + hashText(teamId)
}

const known32 = new Map<string, number>()

/** FNV-1a, 32 bits. It must never change: two versions may run alongside each other. */
function hashText(text: string): number {
  const found = known32.get(text)
  if (found !== undefined) return found
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  if (known32.size > 100_000) known32.clear()
  known32.set(text, hash >>> 0)
  return hash >>> 0
}
