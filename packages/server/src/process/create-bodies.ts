// Limits the memory of request bodies: one budget for the process, and a share of it for each door.
import type { Settings } from '../config/settings-file.ts'
import type { DoorBodies } from '../http/answer-route.ts'
import { createBodyBudget } from '../http/body-budget.ts'
import { createCollectAfterBodies } from '../http/collect-after-bodies.ts'
import { createDiscardBody } from '../http/discard-body.ts'
import { createFairStarts } from '../http/fair-starts.ts'
import type { Metrics } from '../http/metrics.ts'
import { createWorkTurns, readThreadWork } from '../http/work-turns.ts'
import { after } from '../world/timers.ts'
import { discardedBytes } from './listen.ts'

const mebibyte = 1024 * 1024

/** How long, and for how many senders at once, the rest of a refused body is read. In two seconds 18 MB arrive on any fast line. */
const callers = { atOnce: 512, milliseconds: 60_000 }
const strangers = { atOnce: 32, milliseconds: 2000 }

export function createBodies(
  settings: Settings,
  metrics: Pick<Metrics, 'observeBodyRefusal' | 'watchBodies'>,
) {
  const { bodies, max_body_mebibytes } = settings.limits
  const budget = createBodyBudget({
    limits: {
      key: bodies.key_mebibytes * mebibyte,
      door: bodies.door_mebibytes * mebibyte,
      process: bodies.process_mebibytes * mebibyte,
      waitingPerKey: bodies.waiting_per_key,
      waiting: bodies.waiting,
      waitMs: bodies.wait_seconds * 1000,
    },
    startTimer: after,
    observeRefusal: metrics.observeBodyRefusal,
  })
  const discard = createDiscardBody({ callers, strangers, startTimer: after })
  const notePassed = createCollectAfterBodies(
    () => process.memoryUsage.rss(),
    () => Bun.gc(true),
  )
  const fairStarts = createFairStarts(run => setImmediate(run))
  const turns = createWorkTurns({
    stopwatch: () => performance.now(),
    readWork: readThreadWork,
    startTimer: after,
    yieldThread: run => setImmediate(run),
    othersAt: fairStarts.othersAt,
  })
  return <Caller>(
    name: string,
    ownerOf: (caller: Caller) => string,
    teamOf = ownerOf,
  ): DoorBodies<Caller> => {
    const door = budget.openDoor(name)
    metrics.watchBodies(name, door)
    return {
      budget: door,
      ownerOf,
      workerOf: teamOf,
      discard,
      notePassed,
      discardedBytes: discardedBytes(max_body_mebibytes),
      readMs: bodies.read_seconds * 1000,
      startTimer: after,
      turns,
      fairStart: fairStarts.start,
    }
  }
}
