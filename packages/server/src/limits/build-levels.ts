// Lists the limits for calls of a key on a model: the windows and budgets that apply, as plain ids and figures for any engine.
import type { CatalogModel } from '../catalog/types.ts'
import type { Key, Owner, Team } from '../directory/types.ts'
import type { PeriodRules } from '../ledger/budget-account.ts'
import type { EventLimits } from '../ledger/event-limits.ts'
import type { NanoDollars } from '../ledger/money.ts'
import type { BudgetLimit, Levels, LimitLevel, RateLimit } from './port.ts'

/**
 * `model` is null for a call for information and when the requested model is not yet known. `event`: the current `limitsOfEvent`; null if
 * there is no event.
 */
export function buildLevels(
  team: Team,
  key: Key,
  model: CatalogModel | null,
  event: EventLimits | null = null,
): Levels {
  const since = event?.since ?? null
  return {
    teamId: team.teamId,
    keyHash: key.keyHash,
    modelId: model?.id ?? null,
    slots: key.maxParallelRequests,
    rates: listRates(team, key, model),
    budgets: listBudgets(team, key, model, event),
    periods: { team: rulesOf(team, since), key: rulesOf(key, since) },
    until: event?.until ?? null,
  }
}

function listRates(team: Team, key: Key, model: CatalogModel | null): RateLimit[] {
  const rates: RateLimit[] = []
  addRate(rates, 'team', team.rpmLimit, team.tpmLimit)
  addRate(rates, 'key', key.rpmLimit, key.tpmLimit)
  if (model === null) return rates
  const { id } = model
  addRate(rates, 'service_model', model.rpmLimit, model.tpmLimit)
  addRate(rates, 'team_model', team.modelRpmLimit.get(id), team.modelTpmLimit.get(id))
  addRate(rates, 'key_model', key.modelRpmLimit.get(id), key.modelTpmLimit.get(id))
  return rates
}

function addRate(
  rates: RateLimit[],
  level: LimitLevel,
  requests: number | null = null,
  tokens: number | null = null,
): void {
  if (requests !== null || tokens !== null) rates.push({ level, requests, tokens })
}

function listBudgets(
  team: Team,
  key: Key,
  model: CatalogModel | null,
  event: EventLimits | null,
): BudgetLimit[] {
  const budgets: BudgetLimit[] = []
  addBudget(budgets, 'team', event?.teamBudget ?? team.maxBudget, team.granted)
  addBudget(budgets, 'key', key.maxBudget)
  if (model === null) return budgets
  addBudget(budgets, 'key_model', key.modelMaxBudget.get(model.id))
  addBudget(budgets, 'event', event?.cap)
  return budgets
}

function addBudget(
  budgets: BudgetLimit[],
  level: BudgetLimit['level'],
  maximum: NanoDollars | null = null,
  granted: BudgetLimit['granted'] = null,
): void {
  if (maximum !== null) budgets.push({ level, maximum, granted })
}

/** Omits the rest of the record, which may be large. */
function rulesOf({ budgetDuration, budgetAnchor }: Owner, since: number | null): PeriodRules {
  return { budgetDuration, budgetAnchor, since }
}

type KnownLevels = {
  readonly team: Team
  readonly event: EventLimits | null
  readonly withoutModel: Levels
  readonly byModel: WeakMap<CatalogModel, Levels>
}

/** Lives as long as the records, which are replaced when they change and never mutated. */
const knownLevels = new WeakMap<Key, KnownLevels>()

/** Caches `buildLevels` per three records and identical `event` object: keep that object while it applies. */
export function findLevels(
  team: Team,
  key: Key,
  model: CatalogModel | null,
  event: EventLimits | null = null,
): Levels {
  let known = knownLevels.get(key)
  if (known === undefined || known.team !== team || known.event !== event) {
    known = { team, event, withoutModel: buildLevels(team, key, null, event), byModel: new WeakMap() }
    knownLevels.set(key, known)
  }
  if (model === null) return known.withoutModel
  let levels = known.byModel.get(model)
  if (levels === undefined) {
    levels = buildLevels(team, key, model, event)
    known.byModel.set(model, levels)
  }
  return levels
}
