// The teams, keys and models of a simulated history, and how a step changes their limits.
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Key, Team } from '../../../directory/types.ts'
import type { EventTimes, PhaseTimes } from '../../../ledger/event-limits.ts'
import { nanoDollars } from '../../../ledger/money.ts'
import { buildKey, buildModel, buildTeam } from '../build-parties.ts'
import type { Change } from './step.ts'

export type World = {
  readonly teams: Team[]
  readonly keys: Key[]
  readonly models: CatalogModel[]
  event: EventTimes
}

export const teamCount = 2
export const keyCount = 4
export const modelCount = 3

/** Three price tables: plain, with fractions that must be rounded up, and with a second tier that is cheaper in part. */
export function createWorld(): World {
  const rates = { inputText: 1_000_000, cachedInput: 250_000, outputText: 4_000_000, reasoning: 4_000_000 }
  const odd = { inputText: 1_333_333, cachedInput: 1_500_001, outputText: 2_700_001, reasoning: 3_100_007 }
  const long = { inputText: 500_000, cachedInput: 500_000, outputText: 1_000_000, reasoning: 4_500_000 }
  const tier = (aboveInputTokens: number, rates: typeof odd) => ({ aboveInputTokens, rates })
  return {
    event: { capNano: null, phases: [] },
    teams: ['t0', 't1'].map(teamId => buildTeam({ teamId })),
    keys: ['k0', 'k1', 'k2', 'k3'].map((keyHash, index) =>
      buildKey({ keyHash, teamId: index < 2 ? 't0' : 't1' }),
    ),
    models: [
      buildModel({ id: 'm0', price: { tiers: [tier(0, rates)] } }),
      buildModel({ id: 'm1', price: { tiers: [tier(0, odd)] } }),
      buildModel({ id: 'm2', price: { tiers: [tier(0, odd), tier(20, long)] } }),
    ],
  }
}

/** The record that a step names; steps only name existing records. */
export function recordAt<Item>(records: readonly Item[], index: number): Item {
  const found = records[index]
  if (found === undefined) throw new Error(`The simulated world has no record ${index}.`)
  return found
}

export function teamOf(world: World, key: Key): Team {
  return recordAt(
    world.teams,
    world.teams.findIndex(({ teamId }) => teamId === key.teamId),
  )
}

export function applyChange(world: World, change: Change, now: number): void {
  if ('cap' in change) {
    const { cap } = change
    world.event = { ...world.event, capNano: cap === null ? null : nanoDollars(cap) }
    return
  }
  if ('accounting' in change) {
    world.event = {
      ...world.event,
      phases: [...cutPhases(world.event.phases, now + change.delay), phaseOf(change, now)],
    }
    return
  }
  if ('duration' in change) {
    const records: (Key | Team)[] = change.owner === 'key' ? world.keys : world.teams
    const record = recordAt(records, change.index)
    // As in the directory: only another duration starts a new period.
    if (record.budgetDuration === change.duration) return
    const budgetAnchor = Math.max(now, record.budgetAnchor + 1)
    records[change.index] = { ...record, budgetDuration: change.duration, budgetAnchor }
    return
  }
  const { field, value } = change
  const set = limitOf(field, value)
  if ('team' in change) world.teams[change.team] = { ...recordAt(world.teams, change.team), ...set }
  else if ('key' in change) world.keys[change.key] = { ...recordAt(world.keys, change.key), ...set }
  else world.models[change.model] = { ...recordAt(world.models, change.model), ...set }
}

type PhaseChange = Extract<Change, { readonly accounting: string }>

function phaseOf({ delay, length, budget, accounting }: PhaseChange, now: number): PhaseTimes {
  const from = now + delay
  return {
    from,
    until: length === null ? null : from + length,
    gateway: 'open',
    budgetNano: budget === null ? null : nanoDollars(budget),
    accounting,
  }
}

/** Drops the phases after `from`, and ends the current one there. */
function cutPhases(phases: readonly PhaseTimes[], from: number): PhaseTimes[] {
  return phases
    .filter(phase => phase.from < from)
    .map(phase => ({ ...phase, until: phase.until === null ? from : Math.min(phase.until, from) }))
}

function limitOf(field: string, value: number | null): Record<string, unknown> {
  if (field === 'maxBudget') return { maxBudget: value === null ? null : nanoDollars(value) }
  if (!field.startsWith('model')) return { [field]: value }
  return { [field]: value === null ? new Map() : new Map(['m0', 'm1', 'm2'].map(id => [id, value])) }
}
