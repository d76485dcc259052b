// Decides the time shown for an entry. The time stated by its writer is accepted only up to the time of receipt.

/** Tolerated error of laptop clocks in ms: a stated time up to this far ahead of ours is neither reported nor marked. */
export const clockToleranceMs = 5 * 60_000

/** Both times are ISO 8601 in UTC. `claimed` is the stated time if it should be shown next to `at`; otherwise null. */
export function readEntryTimes({ ts, received_at }: { readonly ts: string; readonly received_at: string }): {
  readonly at: string
  readonly claimed: string | null
} {
  const aheadMs = Date.parse(ts) - Date.parse(received_at)
  return { at: aheadMs > 0 ? received_at : ts, claimed: aheadMs > clockToleranceMs ? ts : null }
}
