// Watches the videos that are being made, including those that an earlier process ordered.
import type { VideoTask } from '../ledger/video-task.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import type { AdvanceTask } from './advance-task.ts'

export type WatchTasksDependencies = Pick<World, 'clock' | 'after'> & {
  readonly store: {
    readonly read: Pick<Store['read'], 'readNextDue'>
    readonly write: Pick<Store['write'], 'leaseVideoTasks'>
  }
  readonly advanceTask: AdvanceTask
  readonly reportFailure: (error: unknown) => void
}

/** Longer than an answer takes. After that, the task of a process that died is taken over. */
const leaseMs = 120_000
const atOnce = 20
/** Another process may have ordered something, or a store that failed may be back. */
const longestPauseMs = 10_000

export function watchTasks(dependencies: WatchTasksDependencies) {
  const { store, advanceTask, clock, after, reportFailure } = dependencies
  /** By team and id: the tasks that are being advanced, and when the lease of each ends. */
  const inHand = new Map<string, { until: number; readonly end: Promise<void> }>()
  /**
   * Ends of our leases on tasks that may be unattended: the store failed while it leased them or took them back. The next look takes such
   * tasks again, because waiting for the end of the lease would make a finished video two minutes late.
   */
  const lostLeases = new Set<number>()
  const aborter = new AbortController()
  let looking: Promise<void> | null = null
  let wakeAt = Number.POSITIVE_INFINITY
  let cancel = (): void => undefined

  const expect = (due: number): void => {
    if (aborter.signal.aborted || due >= wakeAt) return
    cancel()
    // Timers reach at most 24 days.
    wakeAt = Math.min(due, clock() + longestPauseMs)
    cancel = after(Math.max(0, wakeAt - clock()), wake)
  }

  const advance = async (id: string, task: VideoTask): Promise<void> => {
    try {
      const due = await advanceTask(task, aborter.signal)
      if (due !== null) expect(due)
    } catch (error) {
      lostLeases.add(inHand.get(id)?.until ?? 0)
      reportFailure(error)
    } finally {
      if (inHand.size >= atOnce) expect(clock())
      inHand.delete(id)
    }
  }

  const lease = async (now: number, limit: number): Promise<void> => {
    const until = now + leaseMs
    for (const lost of lostLeases) if (lost <= now) lostLeases.delete(lost)
    const lost = [...lostLeases]
    const tasks = await store.write.leaseVideoTasks({ now, until, lost, limit }).catch(error => {
      // The commit may have gone through.
      lostLeases.add(until)
      throw error
    })
    if (tasks.length < limit) for (const end of lost) lostLeases.delete(end)
    for (const task of tasks) {
      const id = `${task.teamId} ${task.taskId}`
      const current = inHand.get(id)
      // The step is still running: it outlived its lease, or another step lost that lease.
      if (current !== undefined) current.until = until
      else inHand.set(id, { until, end: Promise.resolve().then(() => advance(id, task)) })
    }
  }

  const look = async (): Promise<void> => {
    try {
      const limit = atOnce - inHand.size
      if (limit > 0) await lease(clock(), limit)
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
    /** Announces a task that is due at this time (Unix ms). */
    expect,
    /** Takes no further tasks; resolves when the current ones are done. */
    stop: async () => {
      cancel()
      aborter.abort()
      await looking
      await Promise.all([...inHand.values()].map(({ end }) => end))
    },
  })
}
