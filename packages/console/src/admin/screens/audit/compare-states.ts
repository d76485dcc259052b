// What an act changed: the members that differ between before and after.

export type StateChange = { readonly name: string; readonly from: string | null; readonly to: string | null }

type State = Readonly<Record<string, unknown>> | null

/** In the order of their names. Null: it was not there. */
export function compareStates(before: State, after: State): readonly StateChange[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort()
  return names.flatMap(name => {
    const from = show(before, name)
    const to = show(after, name)
    return from === to ? [] : [{ name, from, to }]
  })
}

function show(state: State, name: string): string | null {
  if (state === null || !Object.hasOwn(state, name)) return null
  const value = state[name]
  if (value === null) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
