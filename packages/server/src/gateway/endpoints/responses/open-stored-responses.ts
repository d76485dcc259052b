// Opens what /v1/responses stores and reads back: the parts that its routes need, and the deletion of what is too old.
import type { Settings } from '../../../config/settings-file.ts'
import type { Log } from '../../../http/log.ts'
import { createWorkTurns, readThreadWork, turnBytes } from '../../../http/work-turns.ts'
import type { Store } from '../../../store/store.ts'
import { createByteBudget } from '../../../upstream/reply-limits.ts'
import { every } from '../../../world/timers.ts'
import type { World } from '../../../world/world.ts'
import { KeepResponses } from './keep-responses.ts'
import { StoredReader } from './read-stored.ts'

type Dependencies = Pick<World, 'clock' | 'stopwatch' | 'after' | 'onStop'> & {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly log: Pick<Log, 'warn'>
  readonly settings: Pick<Settings, 'responses'>
  readonly maxBodyBytes: number
}

export type StoredResponses = {
  readonly keep: KeepResponses
  readonly reader: StoredReader
  readonly read: Pick<Store['read'], 'readResponses'>
  readonly write: Pick<Store['write'], 'deleteResponse'>
}

/** For the inputs of running streams, and responses on their way to the store: a thousand streams of agents with 60 kB each. */
const heldBytes = 64 * 1024 * 1024

export function openStoredResponses(dependencies: Dependencies): StoredResponses {
  const { store, clock, stopwatch, after, log, settings, maxBodyBytes, onStop } = dependencies
  const { read, write } = store
  const keep = new KeepResponses({
    write,
    keep: settings.responses.keep,
    heldBytes: createByteBudget(heldBytes),
    clock,
    every,
    reportUnstored: (error, responses) =>
      log.warn({ err: error, responses }, 'Could not store responses. Their answers say store: false.'),
    reportUndeleted: error => log.warn({ err: error }, 'Could not delete old responses.'),
  })
  onStop(keep.startTidying())
  const turns = createWorkTurns({
    stopwatch,
    readWork: readThreadWork,
    startTimer: after,
    yieldThread: run => setImmediate(run),
    othersAt: stopwatch,
  })
  const reader = new StoredReader({
    read,
    keep,
    maxBodyBytes,
    takeTurn: async (teamId, bytes) => {
      if (bytes > turnBytes) await turns.take(teamId, bytes)
    },
  })
  return { keep, reader, read, write }
}
