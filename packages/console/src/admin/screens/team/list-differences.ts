// What differs between two states of a record, as short texts.

type State = Readonly<Record<string, unknown>> | null

export type Difference = { readonly name: string; readonly from: string | null; readonly to: string | null }

/** Stand in the row itself, or say nothing of what was decided. */
const untold = new Set(['team_id', 'created_at', 'updated_at', 'created_by', 'updated_by'])

/** Of a new record its members that say something; of a deleted one none, since it is gone as a whole. */
export function listDifferences(before: State, after: State): Difference[] {
  if (after === null) return []
  return Object.entries(after).flatMap(([name, value]) => {
    if (untold.has(name)) return []
    const to = write(value)
    const from = before === null ? null : write(before[name])
    if (from === to || (before === null && isEmpty(value))) return []
    return [{ name, from, to }]
  })
}

function write(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === false || value === '') return true
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}
