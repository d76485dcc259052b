// A paid call that only orders something: charged, with its task, before the upstream is asked, and refunded if it is not accepted.
//
//   admit → meter → (charge and task on disk) → call upstream → (task on disk as started) → settle → respond
//
// If the process dies anywhere in between, the next start finds the task `submitting`, fails it and refunds it. If anything
// throws in between, the order is refunded here.
import type { Call } from '../../http/call.ts'
import type { Units } from '../../ledger/price.ts'
import type { VideoTask, VideoWish } from '../../ledger/video-task.ts'
import type { Hold } from '../../limits/port.ts'
import type { VideoWrites } from '../../store/statements/video-tasks.ts'
import type { StartedOperation } from '../../upstream/media-port.ts'
import { nextLookDelay } from '../../videos/note-progress.ts'
import type { CallPlan } from './admit.ts'
import type { Admitted } from './admitted.ts'
import type { Caller } from './authenticate.ts'
import { type FlowDependencies, runHeld } from './held-call.ts'
import { meter } from './meter.ts'
import { quietly, release, reportSafely } from './release.ts'
import { settledHeaders } from './respond.ts'
import { buildCharge, refuseLateCall } from './settle.ts'

export type PaidOrder = {
  readonly plan: CallPlan
  readonly units: Units
  /** The request as the task's replies show it; null for an order on the pass-through. */
  readonly wish: VideoWish | null
  /** Throws ApiError if the order was not accepted, or if that is unknown. */
  readonly start: () => Promise<StartedOperation>
}

export type RunPaidOrder = (
  caller: Caller,
  call: Call,
  order: PaidOrder,
) => Promise<{ readonly task: VideoTask; readonly headers: Readonly<Record<string, string>> }>

export type OrderDependencies = FlowDependencies & {
  readonly videoWrites: VideoWrites
  /** Unguessable: letters, digits and underscores. */
  readonly newVideoId: () => string
  /** How long making a video may take. */
  readonly videoDeadlineMs: number
  /** Schedules a look at the task for that time (Unix ms). */
  readonly expectVideo: (due: number) => void
  /** Resolves after a moment; with false if the server stops. */
  readonly waitToRetry: () => Promise<boolean>
}

export function createPaidOrder(dependencies: OrderDependencies): RunPaidOrder {
  const { limits, writer, videoWrites, clock, newVideoId, expectVideo, observeCharge } = dependencies

  /**
   * Refunds a charged order and frees its hold, which stays until the store has confirmed. Resolves after the first attempt:
   * the caller need not wait for an unavailable store.
   */
  const takeBack = async (task: VideoTask, hold: Hold): Promise<void> => {
    const { teamId, taskId } = task
    const error = { code: 'not_taken', message: 'The model provider did not accept this order.' }
    const tryOnce = async (): Promise<boolean> => {
      try {
        await videoWrites.failVideoTask({ teamId, taskId, error, now: clock(), hidden: true })
      } catch (failure) {
        reportSafely(failure, error => dependencies.reportError(error, hold.callId))
        return false
      }
      const released = release(dependencies, hold)
      if (released !== null) await released
      return true
    }
    if (await tryOnce()) return
    void (async () => {
      while ((await dependencies.waitToRetry()) && !(await tryOnce()));
    })()
  }

  const buildTask = (admitted: Admitted, { wish }: PaidOrder, cost: number): VideoTask => {
    const { caller, hold, model, endpoint, callId } = admitted
    const now = clock()
    const facts = {
      teamId: caller.team.teamId,
      taskId: newVideoId(),
      keyHash: caller.key.keyHash,
      modelId: model.id,
      callId,
      cost,
      periods: hold.periods,
      endpoint,
      state: 'submitting',
      operation: null,
      upstreamKey: null,
      error: null,
      files: [],
      storedBytes: null,
      createdAt: now,
      completedAt: null,
      expiresAt: null,
      deadlineAt: now + dependencies.videoDeadlineMs,
      dueAt: null,
    } as const
    return wish === null
      ? { ...facts, orderedBy: 'pass_through', wish }
      : { ...facts, orderedBy: 'videos', wish }
  }

  /** Throws ApiError. */
  const submit = async (task: VideoTask, start: PaidOrder['start']): Promise<VideoTask> => {
    const { teamId, taskId } = task
    const { operation, upstreamKey } = await start()
    const started = { operation, upstreamKey, dueAt: clock() + nextLookDelay(0) }
    const isMarked = await videoWrites.markVideoTaskStarted({ teamId, taskId, ...started }).catch(cause => {
      throw refuseLateCall('refund', task.callId, cause)
    })
    if (!isMarked) throw new Error('A task was ended elsewhere while it was being ordered.')
    return { ...task, ...started, state: 'processing' }
  }

  return (caller, call, order) =>
    runHeld(dependencies, caller, call, order.plan, async held => {
      const { admitted } = held
      const { hold } = admitted
      const metered = meter(admitted, [{ kind: 'counted', units: order.units }])
      const task = buildTask(admitted, order, metered.cost)
      call.note({ video_id: task.taskId })
      const row = buildCharge(metered, { outcome: 'completed', kind: 'order', facts: held.facts() }, clock())
      let isWritten = false
      let isGivenUp = false
      const takeBackIfWritten = async () => {
        if (isWritten && isGivenUp) await takeBack(task, hold)
      }
      // A charge that cannot be written now is written later, and refunded then. Until then the hold stays.
      held.leaveTo(() => {
        isGivenUp = true
        return takeBackIfWritten()
      })
      const onWritten = () => {
        isWritten = true
        void takeBackIfWritten()
      }
      await writer.charge(row, onWritten, task).catch(cause => {
        throw refuseLateCall('refund', task.callId, cause)
      })
      const started = await submit(task, order.start)
      held.noteCharge(metered, 'completed')
      held.leaveTo(() => limits.settle(hold, { cost: metered.cost, tokens: metered.tokens }))
      await held.end('completed')
      const report = (error: unknown) => held.report(error)
      quietly(() => observeCharge(metered), report)
      quietly(() => expectVideo(started.dueAt ?? clock()), report)
      return { task: started, headers: settledHeaders(admitted, metered) }
    })
}
