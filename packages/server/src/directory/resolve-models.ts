// Resolves the model names that organisers send to canonical ids before they are stored, and refuses unknown ones.
import { refuseValue } from './refusals.ts'

/** The canonical id of a model name, or the model's name here if the vendor's name was given. Undefined if no model matches. */
export type ResolveModel = (name: string) => string | undefined | { readonly calledHere: string }

/** The marker for "any model that the team may call" in a key's list (spec 2.1 rule 2). */
export const wholeTeam = 'all-team-models'

/** Each id once, in the order given; `kept` names pass unchanged. Throws ApiError `invalid_request`. */
export function resolveModelList(
  names: readonly string[],
  resolveModel: ResolveModel,
  kept: readonly string[],
  param = 'models',
): string[] {
  const resolve = (name: string, index: number) =>
    kept.includes(name) ? name : resolveOne(name, `${param}[${index}]`, resolveModel)
  return [...new Set(names.map(resolve))]
}

/** Throws ApiError `invalid_request` for an unknown model, and for two names of one model. */
export function resolveModelMap<Value>(
  param: string,
  values: Readonly<Record<string, Value>>,
  resolveModel: ResolveModel,
): Map<string, Value> {
  const resolved = new Map<string, Value>()
  for (const [name, value] of Object.entries(values)) {
    const id = resolveOne(name, `${param}.${name}`, resolveModel)
    if (resolved.has(id)) throw refuseValue(`${param}.${name}`, `another member also names the model ${id}.`)
    resolved.set(id, value)
  }
  return resolved
}

/**
 * `current` with the given entries set, and those with null removed, also for models that have left the catalog. Throws ApiError
 * `invalid_request` for an unknown model, and for two names of one model.
 */
export function changeModelEntries<Value>(
  param: string,
  current: ReadonlyMap<string, Value>,
  changes: Readonly<Record<string, Value | null>>,
  resolveModel: ResolveModel,
): ReadonlyMap<string, Value> {
  const names = Object.entries(changes)
  const leaving = names.filter(([name, value]) => value === null && current.has(name)).map(([name]) => name)
  const resolve = (name: string) => (leaving.includes(name) ? name : resolveModel(name))
  const changed = new Map(current)
  for (const [id, value] of resolveModelMap(param, changes, resolve)) {
    if (value === null) changed.delete(id)
    else changed.set(id, value)
  }
  return changed
}

export function resolveOne(name: string, param: string, resolveModel: ResolveModel): string {
  const found = resolveModel(name)
  if (typeof found === 'string') return found
  const shown = name.slice(0, 100)
  throw refuseValue(
    param,
    found === undefined
      ? `the catalog has no model "${shown}".`
      : `${shown} is called ${found.calledHere} here.`,
  )
}
