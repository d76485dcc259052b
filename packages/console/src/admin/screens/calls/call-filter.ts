// Translates the call filter in the address into a query, and applies it to live calls.
import type { OrganiserCallsQuery } from '@fairgate/contracts/calls/call-list.ts'

export type CallSearch = {
  readonly team?: string | undefined
  readonly model?: string | undefined
  readonly outcome?: string | undefined
  readonly code?: string | undefined
  readonly key?: string | undefined
  readonly session?: string | undefined
  readonly from?: string | undefined
  readonly until?: string | undefined
}

export const callFilters = ['team', 'model', 'outcome', 'code', 'key', 'session', 'from', 'until'] as const

/** Times in the address are ISO 8601, because `HH:MM` of today in the browser's zone is not an instant. */
export function toCallsQuery(search: CallSearch): OrganiserCallsQuery {
  const { team, model, outcome, code, key, session, from, until } = search
  const given = { team_id: team, model, outcome, code, key, session_id: session, from, until }
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as OrganiserCallsQuery
}

export function isFiltered(search: CallSearch): boolean {
  return callFilters.some(name => search[name] !== undefined)
}

/** True if a live call matches the filter. A filter on a field that the stream lacks never matches. */
export function fitsFilter(
  search: CallSearch,
  call: {
    readonly model: string | null
    readonly outcome: string
    readonly code: string | null
    readonly key: string
    readonly session_id: string | null
  },
): boolean {
  const { model, outcome, code, key, session } = search
  return (
    (model === undefined || call.model === model) &&
    (outcome === undefined || call.outcome === outcome) &&
    (code === undefined || call.code === code) &&
    (key === undefined || call.key === key) &&
    (session === undefined || call.session_id === session) &&
    search.until === undefined
  )
}
