// What a change has changed: the members that differ between two states of a record, as texts.
import { formatExact } from './money.ts'

type State = Readonly<Record<string, unknown>> | null

export type Difference = {
  readonly name: string
  readonly before: string | null
  readonly after: string | null
}

export function listDifferences(before: State, after: State): Difference[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...names].flatMap(name => {
    const difference = { name, before: write(before, name), after: write(after, name) }
    // When it was changed stands at the row itself.
    const isTime = name === 'updated_at' && difference.before !== null
    return difference.before === difference.after || isTime ? [] : [difference]
  })
}

/** Stand in the row itself, or say nothing of what was decided. */
const untold = new Set(['team_id', 'created_at', 'updated_at', 'created_by', 'updated_by'])

/** What was decided: of a new record its members that say something; of a deleted one none, since it is gone as a whole. */
export function listDecided(before: State, after: State): Difference[] {
  if (after === null) return []
  return listDifferences(before, after).filter(
    ({ name }) =>
      Object.hasOwn(after, name) && !untold.has(name) && !(before === null && isEmpty(after[name])),
  )
}

/** Null where there is none: a member that is null, like one that is not there, has no value. */
function write(state: State, name: string): string | null {
  const value = state === null || !Object.hasOwn(state, name) ? null : state[name]
  if (value === null || value === undefined) return null
  if (name.endsWith('_nano') && Number.isSafeInteger(value)) return formatExact(Number(value))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === false || value === '') return true
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}
