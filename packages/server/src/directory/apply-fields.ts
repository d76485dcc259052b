// Applies the fields that an organiser sends to a team or a key. Absent members are unchanged.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { KeyFields } from '@fairgate/contracts/management/key-bodies.ts'
import type { OwnerChanges } from '@fairgate/contracts/management/owner-fields.ts'
import type { TeamFields } from '@fairgate/contracts/management/team-bodies.ts'
import { parseBudgetDuration } from '../ledger/budget-period.ts'
import { type NanoDollars, roundUsd } from '../ledger/money.ts'
import { parseKeyDuration } from './parse-key-duration.ts'
import { parseMember, refuseValue } from './refusals.ts'
import {
  changeModelEntries,
  type ResolveModel,
  resolveModelList,
  resolveModelMap,
  resolveOne,
  wholeTeam,
} from './resolve-models.ts'
import type { Informational, JsonObject, Key, Owner, Team } from './types.ts'

export type Change = {
  readonly resolveModel: ResolveModel
  /** Unix ms. */
  readonly now: number
  readonly actor: string
}

export type KeyChange = Change & { readonly defaultMaxParallelRequests: number }

export function buildNewTeam(teamId: string, fields: TeamFields, change: Change): Team {
  return applyTeamFields({ ...emptyOwner(change), teamId, alias: teamId }, fields, change)
}

/** Throws ApiError `invalid_request` naming the member. */
export function applyTeamFields(current: Team, fields: TeamFields, change: Change): Team {
  const owner = applyOwnerFields(current, fields, change, [])
  return {
    ...owner,
    teamId: current.teamId,
    alias: fields.team_alias === undefined ? current.alias : (fields.team_alias ?? current.teamId),
    hiddenAt: owner.blocked === true ? (current.hiddenAt ?? null) : null,
    informational: setMember(owner.informational ?? {}, 'members_with_roles', fields.members_with_roles),
  }
}

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
    rotation: null,
    memberId: null,
  }
  return applyKeyFields(empty, fields, change)
}

/** Throws ApiError `invalid_request` naming the member. */
export function applyKeyFields(current: Key, given: KeyFields, change: KeyChange): Key {
  const fields = takeModelPeriod(current, given)
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
    memberId: fields.member_id === undefined ? (current.memberId ?? null) : fields.member_id,
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
  const { [param]: budgets, [`set_${param}` as const]: changes } = fields
  if (changes !== undefined) {
    if (budgets !== undefined) throw refuseBoth(param)
    return changeModelEntries(
      `set_${param}`,
      current.modelMaxBudget,
      parseModelBudgets(`set_${param}`, changes),
      change.resolveModel,
    )
  }
  if (budgets === undefined) return current.modelMaxBudget
  return resolveModelMap(param, parseModelBudgets(param, budgets ?? {}), change.resolveModel)
}

/** Runs before the names are resolved, so that an error repeats the name that was sent. Null removes a budget. */
function parseModelBudgets<Budget extends ModelBudget | null>(
  param: string,
  budgets: Readonly<Record<string, Budget>>,
): Record<string, NanoDollars | Extract<Budget, null>> {
  const amounts = Object.entries(budgets).map(([name, budget]) => [
    name,
    budget === null ? null : parseMember(`${param}.${name}`, () => roundUsd(readBudget(budget))),
  ])
  return Object.fromEntries(amounts)
}

function refuseBoth(replaced: string): ApiError {
  return refuseValue(
    `set_${replaced}`,
    `it changes single models, but ${replaced} replaces all of them. Send only one.`,
  )
}

type ModelBudget = NonNullable<KeyFields['model_max_budget']>[string]

/**
 * LiteLLM gives each model its own period; here they share the key's. Returns the period that they all name, undefined if they name none.
 * Throws ApiError `invalid_request` for two different ones.
 */
function readModelPeriod(fields: KeyFields): string | undefined {
  let period: string | undefined
  for (const param of ['model_max_budget', 'set_model_max_budget'] as const) {
    for (const [name, budget] of Object.entries(fields[param] ?? {})) {
      if (budget === null || typeof budget === 'number') continue
      for (const member of ['time_period', 'budget_duration'] as const) {
        const named = budget[member]
        if (named === undefined || named === null || named === period) continue
        if (period === undefined) period = named
        else
          throw refuseValue(
            `${param}.${name}.${member}`,
            `it is ${named}, but another model has ${period}. All budgets of a key have the same period, its budget_duration.`,
          )
      }
    }
  }
  return period
}

/** The fields with the period of the models as that of the key, if the key has none that it would change. */
function takeModelPeriod(current: Key, fields: KeyFields): KeyFields {
  const period = readModelPeriod(fields)
  if (period === undefined) return fields
  const duration = fields.budget_duration === undefined ? current.budgetDuration : fields.budget_duration
  if (duration === period) return fields
  const budget = fields.max_budget === undefined ? current.maxBudget : fields.max_budget
  const kept = fields.set_model_max_budget === undefined ? 0 : current.modelMaxBudget.size
  if (duration === null && budget === null && kept === 0 && fields.budget_duration === undefined)
    return { ...fields, budget_duration: period }
  throw refuseValue(
    fields.model_max_budget === undefined ? 'set_model_max_budget' : 'model_max_budget',
    `its period is ${period}, but that of the key is ${duration === null ? 'without end' : duration}, and all budgets of a key have the same period. Send budget_duration: "${period}" with it, or leave time_period out.`,
  )
}

/** LiteLLM has two names for the same amount. */
function readBudget(budget: ModelBudget): number {
  if (typeof budget === 'number') return budget
  return 'budget_limit' in budget ? budget.budget_limit : budget.max_budget
}

function changeInformational(current: Informational, fields: KeyFields): Informational {
  const withConfig = setMember(current, 'config', fields.config)
  const withPermissions = setMember(withConfig, 'permissions', fields.permissions)
  return setMember(withPermissions, 'allowed_cache_controls', fields.allowed_cache_controls)
}

/** A team or key with nothing set yet. */
export function emptyOwner({ now, actor }: Change): Owner {
  return {
    models: [],
    blocked: null,
    maxBudget: null,
    budgetDuration: null,
    budgetAnchor: now,
    rpmLimit: null,
    tpmLimit: null,
    modelRpmLimit: new Map(),
    modelTpmLimit: new Map(),
    metadata: {},
    informational: {},
    createdAt: now,
    updatedAt: now,
    createdBy: actor,
    updatedBy: actor,
  }
}

/** The members that teams and keys share. `keptModelNames` may appear in `models` alongside model ids. */
export function applyOwnerFields(
  current: Owner,
  fields: OwnerChanges,
  change: Change,
  keptModelNames: readonly string[],
): Owner {
  const { resolveModel, now, actor } = change
  const limits = {
    modelRpmLimit: changeModelLimits('model_rpm_limit', current.modelRpmLimit, fields, resolveModel),
    modelTpmLimit: changeModelLimits('model_tpm_limit', current.modelTpmLimit, fields, resolveModel),
  }
  return {
    ...current,
    ...limits,
    ...changePeriod(current, fields, now),
    models:
      fields.models === undefined
        ? current.models
        : resolveModelList(fields.models ?? [], resolveModel, keptModelNames),
    blocked: fields.blocked === undefined ? current.blocked : fields.blocked,
    maxBudget: changeBudget(current, fields),
    rpmLimit: fields.rpm_limit === undefined ? current.rpmLimit : fields.rpm_limit,
    tpmLimit: fields.tpm_limit === undefined ? current.tpmLimit : fields.tpm_limit,
    metadata: changeMetadata(current.metadata, fields, limits),
    informational: setMember(current.informational ?? {}, 'organization_id', fields.organization_id),
    updatedAt: now,
    updatedBy: actor,
  }
}

/** Undefined leaves the member unchanged, null removes it. */
export function setMember<Name extends keyof Informational>(
  current: Informational,
  name: Name,
  value: Informational[Name] | null | undefined,
): Informational {
  if (value === undefined) return current
  const { [name]: _removed, ...others } = current
  return value === null ? others : { ...others, [name]: value }
}

function changeBudget({ maxBudget }: Owner, { max_budget }: OwnerChanges): Owner['maxBudget'] {
  if (max_budget === undefined) return maxBudget
  return max_budget === null ? null : parseMember('max_budget', () => roundUsd(max_budget))
}

/** A different duration starts a new period now. The same duration changes nothing. */
function changePeriod(
  current: Owner,
  { budget_duration: duration }: OwnerChanges,
  now: number,
): Pick<Owner, 'budgetDuration' | 'budgetAnchor'> {
  const { budgetDuration, budgetAnchor } = current
  if (duration === undefined || duration === budgetDuration) return { budgetDuration, budgetAnchor }
  if (duration !== null) parseMember('budget_duration', () => parseBudgetDuration(duration))
  return { budgetDuration: duration, budgetAnchor: now }
}

/** Limits may be sent at the top level or in `metadata`. Limits that are sent in neither place still apply. */
function changeModelLimits(
  name: 'model_rpm_limit' | 'model_tpm_limit',
  current: ReadonlyMap<string, number>,
  fields: OwnerChanges,
  resolveModel: ResolveModel,
): ReadonlyMap<string, number> {
  const changes = fields[`set_${name}`]
  const inside = fields.metadata?.[name]
  const outside = fields[name]
  if (inside !== undefined && outside !== undefined) {
    throw refuseValue(name, `it is in metadata too. Send it once.`)
  }
  const given = outside === undefined ? inside : outside
  if (changes !== undefined) {
    if (given !== undefined) throw refuseBoth(name)
    return changeModelEntries(`set_${name}`, current, changes, resolveModel)
  }
  if (given === undefined) return current
  const param = outside === undefined ? `metadata.${name}` : name
  return given === null ? new Map() : resolveModelMap(param, given, resolveModel)
}

function changeMetadata(
  current: JsonObject,
  fields: OwnerChanges,
  limits: Pick<Owner, 'modelRpmLimit' | 'modelTpmLimit'>,
): JsonObject {
  const {
    model_rpm_limit: _rpm,
    model_tpm_limit: _tpm,
    ...custom
  }: JsonObject = fields.metadata === undefined ? current : { ...fields.metadata }
  const members: Record<string, unknown> = custom
  for (const name of ['tags', 'guardrails'] as const) {
    const value = fields[name]
    if (value === null) delete members[name]
    else if (value !== undefined) members[name] = value
  }
  if (limits.modelRpmLimit.size > 0) members.model_rpm_limit = Object.fromEntries(limits.modelRpmLimit)
  if (limits.modelTpmLimit.size > 0) members.model_tpm_limit = Object.fromEntries(limits.modelTpmLimit)
  return members
}
