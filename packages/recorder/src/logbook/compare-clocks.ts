// Compares this machine's clock with the logbook's. Entries carry the time of this machine, so one that is hours off puts them in the
// wrong place, and after the end of a contest perhaps out of it.
import { describeClockDifference, toleratedMs } from '@fairgate/contracts/logbook/clock-difference.ts'
import type { CallLogbook } from './call-logbook.ts'

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
  const difference = describeClockDifference(behindMs)
  if (difference === null) return null
  return `the clock of this machine is ${difference} the logbook's, and entries carry its time: set it`
}
