// Lists what limits the calls of a key on a model: which windows and budgets apply, as plain ids and figures for any engine.
import type { CatalogModel } from '../catalog/types.ts'
import type { Key, Team } from '../directory/types.ts'
import type { PeriodRules } from '../ledger/budget-account.ts'
import type { NanoDollars } from '../ledger/money.ts'
import type { BudgetLimit, Levels, LimitLevel, RateLimit } from './port.ts'

/** `model` null: for a call for information, and for one of which it is not yet known what it wants. */
export function buildLevels(team: Team, key: Key, model: CatalogModel | null): Levels {
  return {
    teamId: team.teamId,
    keyHash: key.keyHash,
    modelId: model?.id ?? null,
    slots: key.maxParallelRequests,
    rates: listRates(team, key, model),
    budgets: listBudgets(team, key, model),
    periods: { team: rulesOf(team), key: rulesOf(key) },
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

function listBudgets(team: Team, key: Key, model: CatalogModel | null): BudgetLimit[] {
  const budgets: BudgetLimit[] = []
  addBudget(budgets, 'team', team.maxBudget)
  addBudget(budgets, 'key', key.maxBudget)
  if (model !== null) addBudget(budgets, 'key_model', key.modelMaxBudget.get(model.id))
  return budgets
}

function addBudget(
  budgets: BudgetLimit[],
  level: BudgetLimit['level'],
  maximum: NanoDollars | null = null,
): void {
  if (maximum !== null) budgets.push({ level, maximum })
}

/** Without the rest of the record, which may be large. */
function rulesOf({ budgetDuration, budgetAnchor }: PeriodRules): PeriodRules {
  return { budgetDuration, budgetAnchor }
}

type KnownLevels = {
  readonly team: Team
  readonly withoutModel: Levels
  readonly byModel: WeakMap<CatalogModel, Levels>
}

/** Lives as long as the records do: these are replaced when they change, and never changed. */
const knownLevels = new WeakMap<Key, KnownLevels>()

/** As `buildLevels`, which it asks once for the same three records. */
export function findLevels(team: Team, key: Key, model: CatalogModel | null): Levels {
  let known = knownLevels.get(key)
  if (known === undefined || known.team !== team) {
    known = { team, withoutModel: buildLevels(team, key, null), byModel: new WeakMap() }
    knownLevels.set(key, known)
  }
  if (model === null) return known.withoutModel
  let levels = known.byModel.get(model)
  if (levels === undefined) {
    levels = buildLevels(team, key, model)
    known.byModel.set(model, levels)
  }
  return levels
}
