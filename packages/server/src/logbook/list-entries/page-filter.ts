// The filters of a page as the store takes them, the same for a team's own list, the organisers' and the feed (spec 4.2).
import { buildEventKey, buildToolKey } from '../filter-keys.ts'

export type FilterQuery = { readonly event?: string; readonly tool?: string }

export type FilterKeys = { readonly toolKey: string | null; readonly eventKey: string | null }

/** Absent or empty: no filter. */
export function buildFilterKeys({ event = '', tool = '' }: FilterQuery): FilterKeys {
  return {
    toolKey: tool === '' ? null : buildToolKey(tool),
    eventKey: event === '' ? null : buildEventKey(event),
  }
}
