// What an organiser sends about a key → the key as it will be.
import type { KeyFields } from '@fairgate/contracts/management/key-bodies.ts'
import { type NanoDollars, roundUsd } from '../ledger/money.ts'
import { applyOwnerFields, type Change, emptyOwner, setMember } from './apply-owner-fields.ts'
import { parseKeyDuration } from './parse-key-duration.ts'
import { parseMember } from './refuse-value.ts'
import { resolveModelMap, resolveOne, wholeTeam } from './resolve-models.ts'
import type { Informational, Key } from './types.ts'

export type KeyChange = Change & { readonly defaultMaxParallelRequests: number }

export function buildNewKey(
  identity: Pick<Key, 'keyHash' | 'keyName' | 'teamId'>,
  fields: KeyFields,
  change: KeyChange,
): Key {
  const empty: Key = {
    ...emptyOwner(change),
    ...identity,
    alias: '',
    userId: '',
    aliases: new Map(),
    modelMaxBudget: new Map(),
    maxParallelRequests: change.defaultMaxParallelRequests,
    expiresAt: null,
    allowedRoutes: [],
  }
  return applyKeyFields(empty, fields, change)
}

/** Throws ApiError `invalid_request` naming the member. */
export function applyKeyFields(current: Key, fields: KeyFields, change: KeyChange): Key {
  const owner = applyOwnerFields(current, fields, change, [wholeTeam])
  const { max_parallel_requests: parallel } = fields
  return {
    ...current,
    ...owner,
    alias: fields.key_alias === undefined ? current.alias : (fields.key_alias ?? ''),
    userId: fields.user_id === undefined ? current.userId : (fields.user_id ?? ''),
    aliases: changeAliases(current, fields, change),
    modelMaxBudget: changeModelBudgets(current, fields, change),
    maxParallelRequests:
      parallel === undefined ? current.maxParallelRequests : (parallel ?? change.defaultMaxParallelRequests),
    expiresAt: changeExpiry(current, fields, change.now),
    allowedRoutes:
      fields.allowed_routes === undefined ? current.allowedRoutes : (fields.allowed_routes ?? []),
    informational: changeInformational(owner.informational ?? {}, fields),
  }
}

function changeExpiry(current: Key, { duration }: KeyFields, now: number): number | null {
  if (duration === undefined) return current.expiresAt
  return duration === null ? null : now + parseMember('duration', () => parseKeyDuration(duration))
}

function changeAliases(current: Key, { aliases }: KeyFields, { resolveModel }: KeyChange): Key['aliases'] {
  if (aliases === undefined) return current.aliases
  const pairs = Object.entries(aliases ?? {})
  return new Map(pairs.map(([alias, model]) => [alias, resolveOne(model, `aliases.${alias}`, resolveModel)]))
}

function changeModelBudgets(current: Key, fields: KeyFields, change: KeyChange): Key['modelMaxBudget'] {
  const param = 'model_max_budget'
  const { [param]: budgets } = fields
  if (budgets === undefined) return current.modelMaxBudget
  // Amounts first, while each is still under the name that was sent.
  const amounts = Object.entries(budgets ?? {}).map(([name, budget]): [string, NanoDollars] => [
    name,
    parseMember(`${param}.${name}`, () => roundUsd(readBudget(budget))),
  ])
  return resolveModelMap(param, Object.fromEntries(amounts), change.resolveModel)
}

type ModelBudget = NonNullable<KeyFields['model_max_budget']>[string]

/** LiteLLM has two names for the one figure. */
function readBudget(budget: ModelBudget): number {
  if (typeof budget === 'number') return budget
  return 'budget_limit' in budget ? budget.budget_limit : budget.max_budget
}

function changeInformational(current: Informational, fields: KeyFields): Informational {
  const withConfig = setMember(current, 'config', fields.config)
  const withPermissions = setMember(withConfig, 'permissions', fields.permissions)
  return setMember(withPermissions, 'allowed_cache_controls', fields.allowed_cache_controls)
}
