// Lists the members that differ between two states of a record, as texts.
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
    // The row itself shows the time of the change.
    const isTime = name === 'updated_at' && difference.before !== null
    return difference.before === difference.after || isTime ? [] : [difference]
  })
}

/** Members that the row itself shows, or that say nothing about the decision. */
const untold = new Set(['team_id', 'created_at', 'updated_at', 'created_by', 'updated_by'])

/** The differences that matter: for a new record its non-empty members, for a deleted one none, because it is gone as a whole. */
export function listDecided(before: State, after: State): Difference[] {
  if (after === null) return []
  return listDifferences(before, after).filter(
    ({ name }) =>
      Object.hasOwn(after, name) && !untold.has(name) && !(before === null && isEmpty(after[name])),
  )
}

/** Null if the member is absent or null. */
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
