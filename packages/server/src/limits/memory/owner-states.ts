// The state of all limits of one process: accounts, windows and slots per owner, created on first use, dropped when idle.
import { BudgetAccount } from '../../ledger/budget-account.ts'
import type { RequestWindow } from '../../ledger/request-window.ts'
import type { TokenWindow } from '../../ledger/token-window.ts'
import { eventPeriodStart } from '../levels.ts'
import type { WindowName } from '../windows/window-contents.ts'

/** Windows of one level; null until that level has a limit. */
export type WindowState = {
  readonly name: WindowName
  requests: RequestWindow | null
  tokens: TokenWindow | null
  running: number
  /** Which kinds of rows it still has to be written to. */
  readonly waits: { commit: boolean; second: boolean }
}
export type KeyModelState = WindowState & { readonly account: BudgetAccount }
export type OwnerState<ModelState extends WindowState> = WindowState & {
  readonly account: BudgetAccount
  readonly models: Map<string, ModelState>
}
export type TeamState = OwnerState<WindowState>
export type KeyState = OwnerState<KeyModelState>

export type OwnerStates = {
  /** Account of all teams, in one period. */
  readonly event: BudgetAccount
  readonly service: Map<string, WindowState>
  readonly teams: Map<string, TeamState>
  readonly keys: Map<string, KeyState>
}

export function createOwnerStates(): OwnerStates {
  const event = new BudgetAccount()
  event.rollTo(eventPeriodStart, null)
  return { event, service: new Map(), teams: new Map(), keys: new Map() }
}

function createWindowState(name: WindowName): WindowState {
  return { name, requests: null, tokens: null, running: 0, waits: { commit: false, second: false } }
}

function createOwnerState<ModelState extends WindowState>(name: WindowName): OwnerState<ModelState> {
  return { ...createWindowState(name), account: new BudgetAccount(), models: new Map() }
}

/** Callers look up existing states first, so that finding one creates nothing. */
function add<State>(states: Map<string, State>, id: string, created: State): State {
  states.set(id, created)
  return created
}

export function serviceState({ service }: OwnerStates, model: string): WindowState {
  return (
    service.get(model) ??
    add(service, model, createWindowState({ level: 'service_model', owner: null, model }))
  )
}

export function teamState({ teams }: OwnerStates, teamId: string): TeamState {
  return (
    teams.get(teamId) ??
    add(teams, teamId, createOwnerState<WindowState>({ level: 'team', owner: teamId, model: null }))
  )
}

export function teamModelState({ name, models }: TeamState, model: string): WindowState {
  return models.get(model) ?? add(models, model, createWindowState({ ...name, level: 'team_model', model }))
}

export function keyState({ keys }: OwnerStates, keyHash: string): KeyState {
  return (
    keys.get(keyHash) ??
    add(keys, keyHash, createOwnerState<KeyModelState>({ level: 'key', owner: keyHash, model: null }))
  )
}

export function keyModelState({ name, models }: KeyState, model: string): KeyModelState {
  return (
    models.get(model) ??
    add(models, model, {
      ...createWindowState({ ...name, level: 'key_model', model }),
      account: new BudgetAccount(),
    })
  )
}

/** Null for a name that no window can have. */
export function stateOf(states: OwnerStates, { level, owner, model }: WindowName): WindowState | null {
  if (level === 'service_model') return model === null ? null : serviceState(states, model)
  if (owner === null) return null
  if (level === 'team') return teamState(states, owner)
  if (level === 'key') return keyState(states, owner)
  if (model === null) return null
  return level === 'team_model'
    ? teamModelState(teamState(states, owner), model)
    : keyModelState(keyState(states, owner), model)
}

/** Drops states that equal a fresh one: nothing running, windows empty, nothing spent. Visits each owner once. */
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
 * Nothing spent or held. A period that has ended by the rules seen last may continue under newer ones, and one that has not begun (the
 * clock was ahead before a restart) must not be forgotten, or charges would fall into an earlier one.
 */
function isBlank(account: BudgetAccount, now: number): boolean {
  return account.start <= now && account.isBlank
}

function dropIdle<State extends WindowState>(
  states: Map<string, State>,
  now: number,
  isFresh: (state: State) => boolean,
): void {
  for (const [id, state] of states) {
    // Anything that a call has returned must be written before it is forgotten, or a restart would count it.
    if (state.running > 0 || state.waits.commit || state.waits.second) continue
    if (state.requests !== null && state.requests.count(now) === 0) state.requests = null
    if (state.tokens !== null && state.tokens.emptyAt(now) <= now) state.tokens = null
    if (state.requests === null && state.tokens === null && isFresh(state)) states.delete(id)
  }
}
