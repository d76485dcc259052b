// Shared set-up of the engine suites: an engine, the owners that tests ask about, and short helpers for calls.
import type { CatalogModel } from '../../catalog/types.ts'
import type { Key, Team } from '../../directory/types.ts'
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import type { Decision, Hold } from '../port.ts'
import { buildKey, buildModel, buildRequest, buildTeam, type RequestChanges } from './build-parties.ts'
import type { CreateEngine, EngineProcess } from './engine.ts'
import { buildLook, readLook } from './look-at.ts'

export type Port = EngineProcess['limits']

/** Arguments of each part of the suite. */
export type Suite = {
  /** True if the engine has its state in a database shared with other processes. */
  readonly isShared: boolean
  /** Sets up the first process of an engine. `start`: Unix ms. */
  readonly setUp: ReturnType<typeof createSetUp>
}

export const day = 86_400_000
export const team = { kind: 'team', teamId: 'team-1' } as const
export const key = { kind: 'key', teamId: 'team-1', keyHash: 'key-1' } as const
export const keyModel = { kind: 'key_model', teamId: 'team-1', keyHash: 'key-1', modelId: 'model-1' } as const

/** A hundred tokens a minute, at one level alone. */
const hundred = new Map([['model-1', 100]])
export const tokenLevels: [string, RequestChanges][] = [
  ['service_model', { model: buildModel({ tpmLimit: 100 }) }],
  ['team', { team: buildTeam({ tpmLimit: 100 }) }],
  ['team_model', { team: buildTeam({ modelTpmLimit: hundred }) }],
  ['key', { key: buildKey({ tpmLimit: 100 }) }],
  ['key_model', { key: buildKey({ modelTpmLimit: hundred }) }],
]

export function holdOf(decision: Decision): Hold {
  if (!decision.admitted) throw new Error(`Refused: ${decision.refusal.code}`)
  return decision.hold
}

export function paying(cost: number): { estimate: { kind: 'fixed'; cost: NanoDollars } } {
  return { estimate: { kind: 'fixed', cost: nanoDollars(cost) } }
}

export async function running(limits: Port): Promise<number> {
  return readLook(await limits.admit(buildLook(buildTeam(), buildKey()))).running
}

export async function ratesOf(limits: Port, team: Team, key: Key, model?: CatalogModel) {
  return readLook(await limits.admit(buildLook(team, key, model))).rates
}

export function createSetUp(createEngine: CreateEngine) {
  return async (start = 1_000_000) => {
    const time = { now: start }
    const engine = await createEngine(time)
    const [{ limits, charge, refund }] = engine.processes
    const admit = async (changes: RequestChanges = {}) => limits.admit(buildRequest(changes))
    /** A call that was admitted and has ended, by the currently running process. */
    const pay = async (cost: number, changes: RequestChanges): Promise<void> => {
      const [process] = engine.processes
      const hold = holdOf(await process.limits.admit(buildRequest({ ...changes, ...paying(cost) })))
      await process.charge(hold, { cost: nanoDollars(cost), tokens: 0 })
    }
    return { time, engine, limits, charge, refund, admit, pay }
  }
}
