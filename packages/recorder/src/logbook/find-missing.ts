// Compares the entries that the logbook acknowledged with those that it returns.
import type { StoredEntry } from '@fairgate/contracts/logbook/entries-page.ts'
import type { ArchivedEntry } from '../spool/archive.ts'

/** The members that the logbook returns (spec 2.11), except the time, which is compared as an instant. */
const comparedMembers = [
  'event',
  'session_id',
  'repo',
  'branch',
  'commit',
  'student',
  'model',
  'prompt',
  'tool_name',
  'tool_input',
  'tool_response',
  'tool_error',
  'response_summary',
  'stop_reason',
] as const

/** Counts the returned entries, because true repeats look the same and only their number tells whether one is missing. */
export function createComparison(archived: readonly ArchivedEntry[]) {
  const waiting = new Map<string, ArchivedEntry[]>()
  for (const item of archived) {
    const key = buildKey(item.entry)
    waiting.set(key, [...(waiting.get(key) ?? []), item])
  }
  return {
    /** Removes an entry of the logbook from the list of those not yet seen. */
    see: (stored: StoredEntry) => {
      const key = buildKey(stored)
      const [, ...rest] = waiting.get(key) ?? []
      if (rest.length === 0) waiting.delete(key)
      else waiting.set(key, rest)
    },
    missing: (): ArchivedEntry[] => [...waiting.values()].flat(),
  }
}

function buildKey(entry: Readonly<Record<string, unknown>>): string {
  const values = comparedMembers.map(member => sortMembers(entry[member] ?? null))
  return JSON.stringify([Date.parse(String(entry.ts)), String(entry.tool).toLowerCase(), ...values])
}

/** The logbook returns the members of objects in another order. */
function sortMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sortMembers)
  return Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => [name, sortMembers(member)])
}
