// Compares this machine's clock with the logbook's. Entries carry the time of this machine, so one that is hours off puts them in the
// wrong place, and after the end of a contest perhaps out of it.
import type { CallLogbook } from './call-logbook.ts'

/** `Date` counts whole seconds and is a little old when it arrives. Below this nobody is misled. */
const toleratedMs = 2 * 60_000

export type ComparedClocks = {
  readonly call: CallLogbook
  /** By the first reply; negative if this machine's clock is ahead, 0 within the tolerance. null until there was a reply. */
  readonly behindMs: () => number | null
}

export function compareClocks(call: CallLogbook, now: () => number): ComparedClocks {
  let behindMs: number | null = null
  return {
    call: async request => {
      const reply = await call(request)
      if (reply.kind === 'reply' && typeof reply.sentAt === 'number') behindMs ??= reply.sentAt - now()
      return reply
    },
    behindMs: () => (behindMs !== null && Math.abs(behindMs) <= toleratedMs ? 0 : behindMs),
  }
}

/** null if there is nothing to say. */
export function describeClock(behindMs: number): string | null {
  if (behindMs === 0) return null
  const minutes = Math.round(Math.abs(behindMs) / 60_000)
  const size = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
  const side = behindMs > 0 ? 'behind' : 'ahead of'
  return `the clock of this machine is ${size} ${side} the logbook's, and entries carry its time: set it`
}
