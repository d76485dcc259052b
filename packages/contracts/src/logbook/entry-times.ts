// The time at which an entry is shown. Its own time is a claim of whoever wrote it: no later than the receipt is believed.

/** Clocks of laptops are off by so much: no more than this (ms) ahead of ours, a claim is neither reported nor marked. */
export const clockToleranceMs = 5 * 60_000

/** Both ISO 8601 in UTC. `claimed`: the claimed time if it is to be shown beside `at`; null if not. */
export function readEntryTimes({ ts, received_at }: { readonly ts: string; readonly received_at: string }): {
  readonly at: string
  readonly claimed: string | null
} {
  const aheadMs = Date.parse(ts) - Date.parse(received_at)
  return { at: aheadMs > 0 ? received_at : ts, claimed: aheadMs > clockToleranceMs ? ts : null }
}
