// The filter of calls between the address and the server.
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

/** `HH:MM` of today in the browser's zone is no instant: times stand in the address as ISO 8601. */
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

/** Whether a live call belongs to what is shown. What the stream does not tell counts as fitting only where it is not asked for. */
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
