// The watch over videos: due tasks are taken once, a failed store is asked again, and stopping waits.
import { expect, test } from 'bun:test'
import type { VideoTask } from '../ledger/video-task.ts'
import { buildVideoTask } from '../store/testing/build-ledger-rows.ts'
import { watchTasks } from './watch-tasks.ts'

function setUp() {
  const time = { now: 1000 }
  const leased: VideoTask[][] = []
  const failures: unknown[] = []
  const inHand: {
    readonly id: string
    readonly finish: (due: number | null) => void
    readonly signal: AbortSignal
  }[] = []
  let timer: { readonly at: number; readonly run: () => void } | null = null
  let nextDue: number | null = null
  let isStoreAway = false
  const watch = watchTasks({
    store: {
      read: { readNextDue: async () => nextDue },
      write: {
        leaseVideoTasks: async () => {
          if (isStoreAway) throw new Error('away')
          return leased.shift() ?? []
        },
      },
    },
    advanceTask: (task, signal) =>
      new Promise(resolve => {
        inHand.push({ id: task.taskId, finish: resolve, signal })
      }),
    clock: () => time.now,
    after: (milliseconds, run) => {
      timer = { at: time.now + milliseconds, run }
      return () => {
        timer = null
      }
    },
    reportFailure: error => failures.push(error),
  })
  return {
    watch,
    leased,
    failures,
    inHand,
    setNextDue: (due: number | null) => {
      nextDue = due
    },
    setStoreAway: (isAway: boolean) => {
      isStoreAway = isAway
    },
    wakesAt: () => timer?.at ?? null,
    /** Runs the waiting timer and its consequences. */
    wake: async () => {
      const waiting = timer
      timer = null
      time.now = Math.max(time.now, waiting?.at ?? 0)
      waiting?.run()
      await Bun.sleep(0)
    },
  }
}

test('looks at once, then when the next task is due, at the latest after ten seconds', async () => {
  const { wake, wakesAt, setNextDue } = setUp()
  expect(wakesAt()).toBe(1000)
  setNextDue(3000)
  await wake()
  expect(wakesAt()).toBe(3000)
  setNextDue(null)
  await wake()
  expect(wakesAt()).toBe(13_000)
  setNextDue(90_000)
  await wake()
  expect(wakesAt()).toBe(23_000)
})

test('an order causes an earlier look, never a later one', async () => {
  const { watch, wake, wakesAt } = setUp()
  await wake()
  watch.expect(5000)
  expect(wakesAt()).toBe(5000)
  watch.expect(6000)
  expect(wakesAt()).toBe(5000)
})

test('an unfinished look is not started twice, and does not delay others', async () => {
  const { watch, wake, leased, inHand } = setUp()
  leased.push([buildVideoTask('slow')])
  await wake()
  leased.push([buildVideoTask('slow'), buildVideoTask('quick')])
  await wake()
  expect(inHand.map(({ id }) => id)).toEqual(['slow', 'quick'])
  inHand[0]?.finish(null)
  await Bun.sleep(0)
  leased.push([buildVideoTask('slow')])
  await wake()
  expect(inHand.map(({ id }) => id)).toEqual(['slow', 'quick', 'slow'])
  for (const { finish } of inHand) finish(null)
  await watch.stop()
})

test('a store failure is reported, and the store is tried again', async () => {
  const { wake, wakesAt, failures, setStoreAway, leased, inHand } = setUp()
  setStoreAway(true)
  await wake()
  expect([failures.length, wakesAt()]).toEqual([1, 11_000])
  setStoreAway(false)
  leased.push([buildVideoTask('video')])
  await wake()
  expect(inHand).toHaveLength(1)
})

test('a stop starts nothing new, notifies the running work, and waits for it', async () => {
  const { watch, wake, wakesAt, leased, inHand } = setUp()
  leased.push([buildVideoTask('video')])
  await wake()
  let isStopped = false
  const stopped = watch.stop().then(() => {
    isStopped = true
  })
  await Bun.sleep(0)
  expect([isStopped, inHand[0]?.signal.aborted]).toEqual([false, true])
  watch.expect(0)
  expect(wakesAt()).toBeNull()
  inHand[0]?.finish(null)
  await stopped
})
