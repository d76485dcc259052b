// Starts in-memory limits from the state that the last process left, for a process that has its database to itself.

import type { OwnerSpend } from '../store/statements/charges.ts'
import type { World } from '../world/world.ts'
import { holdAlone } from './hold-lease.ts'
import { createMemoryLimits, type MemoryLimits } from './memory/create-memory-limits.ts'
import type { OwnerRef } from './port.ts'
import type { StartedLimits } from './started-limits.ts'
import { sweepDead } from './sweep-dead.ts'
import { createWindowJournal } from './windows/create-window-journal.ts'
import { recallWindows } from './windows/recall-windows.ts'

/** Settles the streams and video orders that the last process did not finish first. */
export async function startMemoryLimits(
  { store, clock, wallClock, notices }: World,
  version: string,
): Promise<StartedLimits> {
  const processId = Bun.randomUUIDv7()
  await store.write.replaceOthers({ processId })
  // Read before the sweep, which deletes these rows; the windows need them.
  const leftStreams = await store.read.readLeftStreams({ processId })
  const { charged, refunded } = await sweepDead(store, { processId, slot: 0 }, { clock, withUnknown: true })
  if (charged > 0)
    notices.warn({ streams: charged }, 'A crash cut off streams; each was charged for what it had delivered.')
  if (refunded > 0)
    notices.warn(
      { videos: refunded },
      'Videos that were being ordered when the server stopped were refunded.',
    )
  const limits = createMemoryLimits({ clock })
  loadTotals(limits, await store.read.readTotals())
  const { lastSequence } = await recallWindows({
    read: store.read,
    limits,
    clock,
    leftStreams,
    reportDamage: rows =>
      notices.warn(
        { rows },
        'Some saved rate windows of the last minute are damaged. Counting the charges of that minute instead.',
      ),
  })
  const lease = await holdAlone({ write: store.write, version }, processId)
  return {
    limits,
    lease,
    commit: store.write.commitLedger,
    gatherWindows: createWindowJournal({
      gather: limits.gatherWindows,
      clock,
      wallClock,
      lastSequence,
    }),
    stop: lease.stop,
  }
}

/** Throws on an owner that this version does not know instead of losing its money. */
export function loadTotals(limits: Pick<MemoryLimits, 'load'>, totals: readonly OwnerSpend[]): void {
  limits.load(
    totals.map(({ teamId, owner, periodStart, spent }) => ({
      owner: parseOwner(teamId, owner),
      periodStart,
      spent,
    })),
  )
}

function parseOwner(teamId: string, text: string): OwnerRef {
  if (text === 'event') return { kind: 'event' }
  const [kind, first, ...others] = text.split(':')
  if (kind === 'team' && first !== undefined) return { kind: 'team', teamId: [first, ...others].join(':') }
  if (kind === 'key' && first !== undefined) return { kind: 'key', teamId, keyHash: first }
  if (kind === 'key_model' && first !== undefined)
    return { kind: 'key_model', teamId, keyHash: first, modelId: others.join(':') }
  throw new Error(`The totals table names an unknown owner "${text}".`)
}
