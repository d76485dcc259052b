// Lists the limits that apply to one call, with the state each is counted in.
import type { CatalogModel } from '../../catalog/types.ts'
import type { Key, Team } from '../../directory/types.ts'
import type { LimitLevel } from '../../ledger/admission.ts'
import type { BudgetLevel } from '../../ledger/decide-budget.ts'
import type { RateLevel } from '../../ledger/decide-rates.ts'
import { RequestWindow } from '../../ledger/request-window.ts'
import { TokenWindow } from '../../ledger/token-window.ts'
import {
  type KeyModelState,
  type KeyState,
  keyModelState,
  keyState,
  type OwnerStates,
  serviceState,
  type TeamState,
  teamModelState,
  teamState,
  type WindowState,
} from './owner-states.ts'

/** Who asks, and for what. */
export type CallParties = { readonly team: Team; readonly key: Key; readonly model: CatalogModel | null }

/** The states a call touches; the last three are null for a call for information. */
export type CallStates = {
  readonly team: TeamState
  readonly key: KeyState
  readonly service: WindowState | null
  readonly teamModel: WindowState | null
  readonly keyModel: KeyModelState | null
  /** All of them that are there. */
  readonly all: readonly WindowState[]
}

export function findCallStates(states: OwnerStates, { team, key, model }: CallParties): CallStates {
  const teamOwner = teamState(states, team.teamId)
  const keyOwner = keyState(states, key.keyHash)
  if (model === null) {
    const all = [teamOwner, keyOwner]
    return { team: teamOwner, key: keyOwner, service: null, teamModel: null, keyModel: null, all }
  }
  const service = serviceState(states, model.id)
  const teamModel = teamModelState(teamOwner, model.id)
  const keyModel = keyModelState(keyOwner, model.id)
  const all = [teamOwner, keyOwner, service, teamModel, keyModel]
  return { team: teamOwner, key: keyOwner, service, teamModel, keyModel, all }
}

/** Every window that applies: levels without any limit are left out. */
export function buildRateLevels(states: CallStates, { team, key, model }: CallParties): RateLevel[] {
  const levels: RateLevel[] = []
  addLevel(levels, 'team', states.team, team.rpmLimit, team.tpmLimit)
  addLevel(levels, 'key', states.key, key.rpmLimit, key.tpmLimit)
  if (model === null) return levels
  const { id } = model
  addLevel(levels, 'service_model', states.service, model.rpmLimit, model.tpmLimit)
  addLevel(
    levels,
    'team_model',
    states.teamModel,
    team.modelRpmLimit.get(id) ?? null,
    team.modelTpmLimit.get(id) ?? null,
  )
  addLevel(
    levels,
    'key_model',
    states.keyModel,
    key.modelRpmLimit.get(id) ?? null,
    key.modelTpmLimit.get(id) ?? null,
  )
  return levels
}

function addLevel(
  levels: RateLevel[],
  level: LimitLevel,
  state: WindowState | null,
  requestLimit: number | null,
  tokenLimit: number | null,
): void {
  if (state === null || (requestLimit === null && tokenLimit === null)) return
  levels.push({
    level,
    requests: requestLimit === null ? null : { limit: requestLimit, window: requestWindowOf(state) },
    tokens: tokenLimit === null ? null : { limit: tokenLimit, window: tokenWindowOf(state) },
  })
}

function requestWindowOf(state: WindowState) {
  state.requests ??= new RequestWindow()
  return state.requests
}

function tokenWindowOf(state: WindowState) {
  state.tokens ??= new TokenWindow()
  return state.tokens
}

/** Brings the accounts of a call to the period that holds `now`; a key's models share the key's period. */
export function rollAccounts(states: CallStates, { team, key }: CallParties, now: number): void {
  states.team.account.roll(team, now)
  states.key.account.roll(key, now)
  states.keyModel?.account.rollTo(states.key.account.start, states.key.account.end)
}

/** Every budget that applies; the accounts have been rolled. */
export function buildBudgetLevels(states: CallStates, { team, key, model }: CallParties): BudgetLevel[] {
  const levels: BudgetLevel[] = []
  addBudget(levels, 'team', team.maxBudget, states.team)
  addBudget(levels, 'key', key.maxBudget, states.key)
  if (model !== null && states.keyModel !== null)
    addBudget(levels, 'key_model', key.modelMaxBudget.get(model.id) ?? null, states.keyModel)
  return levels
}

function addBudget(
  levels: BudgetLevel[],
  level: LimitLevel,
  maximum: BudgetLevel['maximum'] | null,
  { account }: Pick<KeyModelState, 'account'>,
): void {
  if (maximum === null) return
  levels.push({ level, maximum, spent: account.spent, held: account.held, endsAt: account.end })
}
