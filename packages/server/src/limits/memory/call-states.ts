// Finds the states that a call is counted in, and combines them with the limits of its levels.
import type { BudgetAccount } from '../../ledger/budget-account.ts'
import type { BudgetLevel } from '../../ledger/decide-budget.ts'
import type { RateLevel } from '../../ledger/decide-rates.ts'
import { RequestWindow } from '../../ledger/request-window.ts'
import { TokenWindow } from '../../ledger/token-window.ts'
import { maximumIn, resetWithin } from '../levels.ts'
import type { BudgetLimit, Levels, LimitLevel } from '../port.ts'
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

/** The states that a call takes money and slots from; `keyModel` is null for a call for information. */
export type CallStates = {
  readonly event: BudgetAccount
  readonly team: TeamState
  readonly key: KeyState
  readonly keyModel: KeyModelState | null
}

export function findCallStates(states: OwnerStates, { teamId, keyHash, modelId }: Levels): CallStates {
  const key = keyState(states, keyHash)
  return {
    event: states.event,
    team: teamState(states, teamId),
    key,
    keyModel: modelId === null ? null : keyModelState(key, modelId),
  }
}

/** Returns every window that applies. Those of a model are only looked up if they are limited. */
export function findRateLevels(states: OwnerStates, callStates: CallStates, levels: Levels): CountedLevel[] {
  const found: CountedLevel[] = []
  for (const { level, requests, tokens } of levels.rates) {
    const state = findWindowState(states, callStates, level, levels.modelId)
    found.push({
      level,
      state,
      requests: requests === null ? null : { limit: requests, window: requestWindowOf(state) },
      tokens: tokens === null ? null : { limit: tokens, window: tokenWindowOf(state) },
    })
  }
  return found
}

/** A level with the state that contains its windows. */
export type CountedLevel = RateLevel & { readonly state: WindowState }

function findWindowState(
  states: OwnerStates,
  { team, key, keyModel }: CallStates,
  level: LimitLevel,
  modelId: string | null,
): WindowState {
  if (level === 'team') return team
  if (level === 'key') return key
  if (modelId === null || keyModel === null)
    throw new Error(`A call without a model has no limits of the level ${level}.`)
  if (level === 'key_model') return keyModel
  return level === 'service_model' ? serviceState(states, modelId) : teamModelState(team, modelId)
}

function requestWindowOf(state: WindowState) {
  state.requests ??= new RequestWindow()
  return state.requests
}

function tokenWindowOf(state: WindowState) {
  state.tokens ??= new TokenWindow()
  return state.tokens
}

/** Every state that the call is counted in, each once. */
export function listCounted(
  { team, key, keyModel }: CallStates,
  rates: readonly CountedLevel[],
): WindowState[] {
  const counted: WindowState[] = keyModel === null ? [team, key] : [team, key, keyModel]
  for (const { level, state } of rates) {
    if (level === 'service_model' || level === 'team_model') counted.push(state)
  }
  return counted
}

/** Moves the accounts of a call to the period that contains `now`; a key's models share the key's period. */
export function rollAccounts(
  { team, key, keyModel }: CallStates,
  { periods }: Pick<Levels, 'periods'>,
  now: number,
): void {
  team.account.roll(periods.team, now)
  key.account.roll(periods.key, now)
  keyModel?.account.rollTo(key.account.start, key.account.end)
}

/** Returns every budget that applies. The accounts must have been rolled. */
export function findBudgetLevels(
  states: CallStates,
  levels: Pick<Levels, 'budgets' | 'until'>,
): BudgetLevel[] {
  const found: BudgetLevel[] = []
  for (const budget of levels.budgets) {
    const { level, maximum: maximumAfter } = budget
    const { start, spent, held, end } = accountOf(states, level)
    const maximum = maximumIn(budget, start)
    found.push({ level, maximum, maximumAfter, spent, held, endsAt: resetWithin(levels, end) })
  }
  return found
}

function accountOf({ event, team, key, keyModel }: CallStates, level: BudgetLimit['level']) {
  if (level === 'event') return event
  if (level === 'team') return team.account
  if (level === 'key') return key.account
  if (keyModel === null) throw new Error('A call without a model has no budget of the level key_model.')
  return keyModel.account
}
