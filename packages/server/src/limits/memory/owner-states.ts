// The state behind every limit of one process: accounts, windows and slots per owner, made when first used, dropped when idle.
import { type BudgetAccount, createBudgetAccount } from '../../ledger/budget-account.ts'
import type { RequestWindow } from '../../ledger/request-window.ts'
import type { TokenWindow } from '../../ledger/token-window.ts'

/** Windows of one level; null until that level has a limit. */
export type WindowState = { requests: RequestWindow | null; tokens: TokenWindow | null; running: number }
export type KeyModelState = WindowState & { readonly account: BudgetAccount }
export type OwnerState<ModelState extends WindowState> = WindowState & {
  readonly account: BudgetAccount
  readonly models: Map<string, ModelState>
}
export type TeamState = OwnerState<WindowState>
export type KeyState = OwnerState<KeyModelState>

export type OwnerStates = {
  readonly service: Map<string, WindowState>
  readonly teams: Map<string, TeamState>
  readonly keys: Map<string, KeyState>
}

export function createOwnerStates(): OwnerStates {
  return { service: new Map(), teams: new Map(), keys: new Map() }
}

function createWindowState(): WindowState {
  return { requests: null, tokens: null, running: 0 }
}

function createKeyModelState(): KeyModelState {
  return { ...createWindowState(), account: createBudgetAccount() }
}

function createOwnerState<ModelState extends WindowState>(): OwnerState<ModelState> {
  return { ...createWindowState(), account: createBudgetAccount(), models: new Map() }
}

function findOrCreate<State>(states: Map<string, State>, id: string, create: () => State): State {
  const known = states.get(id)
  if (known !== undefined) return known
  const created = create()
  states.set(id, created)
  return created
}

export function serviceState(states: OwnerStates, modelId: string): WindowState {
  return findOrCreate(states.service, modelId, createWindowState)
}

export function teamState(states: OwnerStates, teamId: string): TeamState {
  return findOrCreate(states.teams, teamId, createOwnerState<WindowState>)
}

export function teamModelState(team: TeamState, modelId: string): WindowState {
  return findOrCreate(team.models, modelId, createWindowState)
}

export function keyState(states: OwnerStates, keyHash: string): KeyState {
  return findOrCreate(states.keys, keyHash, createOwnerState<KeyModelState>)
}

export function keyModelState(key: KeyState, modelId: string): KeyModelState {
  return findOrCreate(key.models, modelId, createKeyModelState)
}

/** Drops what equals a fresh state: nothing running, windows empty, nothing spent. Costs one visit per owner. */
export function pruneOwnerStates(states: OwnerStates, now: number): void {
  dropIdle(states.service, now, () => true)
  for (const team of states.teams.values()) dropIdle(team.models, now, () => true)
  dropIdle(states.teams, now, team => team.models.size === 0 && isBlank(team.account, now))
  for (const key of states.keys.values()) {
    dropIdle(key.models, now, model => isBlank(model.account, now))
  }
  dropIdle(states.keys, now, key => key.models.size === 0 && isBlank(key.account, now))
}

/**
 * Nothing spent or held. A period that is over by the rules last seen may go on under newer ones, and one that has not begun
 * (the clock was ahead before a restart) must not be forgotten, or charges would fall into an earlier one.
 */
function isBlank(account: BudgetAccount, now: number): boolean {
  return account.start() <= now && account.spent() === 0 && account.held() === 0
}

function dropIdle<State extends WindowState>(
  states: Map<string, State>,
  now: number,
  isFresh: (state: State) => boolean,
): void {
  for (const [id, state] of states) {
    if (state.running > 0) continue
    if (state.requests !== null && state.requests.count(now) === 0) state.requests = null
    if (state.tokens !== null && state.tokens.emptyAt(now) <= now) state.tokens = null
    if (state.requests === null && state.tokens === null && isFresh(state)) states.delete(id)
  }
}
