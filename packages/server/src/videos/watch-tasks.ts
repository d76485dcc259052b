// Watches the videos that are being made, including those that an earlier process ordered.
import type { VideoTask } from '../ledger/video-task.ts'
import type { Store } from '../store/store.ts'
import type { AdvanceTask } from './advance-task.ts'

export type WatchTasksDependencies = {
  readonly store: {
    readonly read: Pick<Store['read'], 'readNextDue'>
    readonly write: Pick<Store['write'], 'leaseVideoTasks'>
  }
  readonly advanceTask: AdvanceTask
  /** Unix ms. */
  readonly clock: () => number
  /** Runs a function after so many ms; returns its cancellation. */
  readonly after: (milliseconds: number, run: () => void) => () => void
  readonly reportFailure: (error: unknown) => void
}

/** Longer than an answer takes. After it a task whose process died is taken over. */
const leaseMs = 120_000
const atOnce = 20
/** Another process may have ordered something, or a store that failed may be back. */
const longestPauseMs = 10_000

export function watchTasks(dependencies: WatchTasksDependencies) {
  const { store, advanceTask, clock, after, reportFailure } = dependencies
  /** Team and id → the end of the look at it. */
  const inHand = new Map<string, Promise<void>>()
  const aborter = new AbortController()
  let looking: Promise<void> | null = null
  let wakeAt = Number.POSITIVE_INFINITY
  let cancel = (): void => undefined

  const expect = (due: number): void => {
    if (aborter.signal.aborted || due >= wakeAt) return
    cancel()
    // Timers reach 24 days.
    wakeAt = Math.min(due, clock() + longestPauseMs)
    cancel = after(Math.max(0, wakeAt - clock()), wake)
  }

  const advance = async (id: string, task: VideoTask): Promise<void> => {
    try {
      const due = await advanceTask(task, aborter.signal)
      if (due !== null) expect(due)
    } catch (error) {
      reportFailure(error)
    } finally {
      if (inHand.size >= atOnce) expect(clock())
      inHand.delete(id)
    }
  }

  const look = async (): Promise<void> => {
    try {
      const now = clock()
      const limit = atOnce - inHand.size
      const tasks = limit > 0 ? await store.write.leaseVideoTasks({ now, until: now + leaseMs, limit }) : []
      for (const task of tasks) {
        const id = `${task.teamId} ${task.taskId}`
        // A look that outlived its lease is still at it.
        if (!inHand.has(id)) inHand.set(id, advance(id, task))
      }
      expect((await store.read.readNextDue()) ?? Number.POSITIVE_INFINITY)
    } catch (error) {
      reportFailure(error)
    }
    expect(clock() + longestPauseMs)
  }

  const wake = (): void => {
    wakeAt = Number.POSITIVE_INFINITY
    const previous = looking ?? Promise.resolve()
    const next = previous.then(() => (aborter.signal.aborted ? undefined : look()))
    looking = next
    void next.then(() => {
      if (looking === next) looking = null
    })
  }

  expect(clock())
  return Object.freeze({
    /** A task is due at this time (Unix ms). */
    expect,
    /** Takes no further task; resolves when those in hand are done. */
    stop: async () => {
      cancel()
      aborter.abort()
      await looking
      await Promise.all(inHand.values())
    },
  })
}
