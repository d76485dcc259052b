// A paid call that only orders something: charged, with its task, before the upstream is asked, and refunded if it is not taken.
//
//   admit → charge and task durable → order at the upstream → task durable as started → hold becomes spend → reply
//
// Wherever the process dies in between, the next start finds the task `submitting`, fails it and gives the money back. Whatever
// throws in between, the order is taken back here.
import type { Call } from '../http/call.ts'
import type { Units } from '../ledger/price.ts'
import type { Hold } from '../limits/port.ts'
import type { VideoTasksTable } from '../store/schema/videos.ts'
import type { Store } from '../store/store.ts'
import type { StartedOperation } from '../upstream/video-port.ts'
import { nextLookDelay } from '../videos/next-look.ts'
import { createRunHeld, type HeldDependencies } from './held-call.ts'
import { quietly, tellQuietly } from './quietly.ts'
import type { Caller } from './stages/1-authenticate.ts'
import type { Admitted, CallPlan } from './stages/2-admit.ts'
import { meter } from './stages/5-meter.ts'
import { buildCharge, refuseUnrecorded } from './stages/6-settle.ts'
import { settledHeaders } from './stages/7-respond.ts'

export type VideoOrder = {
  readonly plan: CallPlan
  readonly units: Units
  readonly orderedBy: 'videos' | 'pass_through'
  /** What was asked, as the task's replies show it. */
  readonly wish: object
  /** Throws ApiError when the order was not taken, or nobody knows. */
  readonly start: () => Promise<StartedOperation>
}

export type OrderCall = (
  caller: Caller,
  context: Call<unknown, unknown>,
  order: VideoOrder,
) => Promise<{ readonly task: VideoTasksTable; readonly headers: Readonly<Record<string, string>> }>

export type OrderCallDependencies = HeldDependencies & {
  readonly videoWrites: Pick<Store['write'], 'markVideoTaskStarted' | 'failVideoTask'>
  /** Unguessable: letters, digits and underscores. */
  readonly newVideoId: () => string
  /** How long a video may be in the making. */
  readonly videoDeadlineMs: number
  /** Somebody looks at the task at that time (Unix ms). */
  readonly expectVideo: (due: number) => void
  /** Resolves after a moment; with false when the server stops. */
  readonly waitToRetry: () => Promise<boolean>
}

export function createOrderCall(dependencies: OrderCallDependencies): OrderCall {
  const { limits, writer, videoWrites, clock, newVideoId, expectVideo, observeCharge } = dependencies
  const runHeld = createRunHeld(dependencies)

  /**
   * Takes a charged order back and frees its hold, which stays until the store has said so. Resolves after the first try:
   * the caller need not wait for a store that is away.
   */
  const takeBack = async (task: VideoTasksTable, hold: Hold): Promise<void> => {
    const { team_id, task_id } = task
    const error = { code: 'not_taken', message: 'The model provider did not take this order.' }
    const tryOnce = async (): Promise<boolean> => {
      try {
        await videoWrites.failVideoTask({ team_id, task_id, error, now: clock(), hidden: true })
        limits.release(hold)
        return true
      } catch (failure) {
        tellQuietly(failure, error => dependencies.reportError(error, hold.callId))
        return false
      }
    }
    if (await tryOnce()) return
    void (async () => {
      while ((await dependencies.waitToRetry()) && !(await tryOnce()));
    })()
  }

  const buildTask = (admitted: Admitted, { orderedBy, wish }: VideoOrder, cost: number): VideoTasksTable => {
    const { caller, hold, model, endpoint, callId } = admitted
    const now = clock()
    return {
      team_id: caller.team.teamId,
      task_id: newVideoId(),
      interface: orderedBy,
      key_hash: caller.key.keyHash,
      model_id: model.id,
      call_id: callId,
      cost_nano: cost,
      team_period: hold.periods.team,
      key_period: hold.periods.key,
      endpoint,
      state: 'submitting',
      wish: JSON.stringify(wish),
      operation: null,
      upstream_key: null,
      error: null,
      files: '[]',
      stored_bytes: null,
      created_at: now,
      completed_at: null,
      expires_at: null,
      deadline_at: now + dependencies.videoDeadlineMs,
      due_at: null,
      leased_until: 0,
      hidden: 0,
    }
  }

  /** Throws ApiError. */
  const submit = async (task: VideoTasksTable, start: VideoOrder['start']): Promise<VideoTasksTable> => {
    const { team_id, task_id } = task
    const { operation, upstreamKey: upstream_key } = await start()
    const due_at = clock() + nextLookDelay(0)
    const started = { operation, upstream_key, due_at }
    const isMarked = await videoWrites.markVideoTaskStarted({ team_id, task_id, ...started }).catch(cause => {
      throw refuseUnrecorded(cause)
    })
    if (!isMarked) throw new Error('A task was ended by somebody else while it was being ordered.')
    return { ...task, ...started, state: 'processing' }
  }

  return (caller, context, order) =>
    runHeld(caller, context, order.plan, async held => {
      const { admitted } = held
      const { hold } = admitted
      const metered = meter(admitted, [{ kind: 'counted', units: order.units }])
      const task = buildTask(admitted, order, metered.cost)
      context.note({ video_id: task.task_id })
      const row = buildCharge(metered, 'completed', false, clock())
      let isWritten = false
      let isGivenUp = false
      const takeBackIfWritten = async () => {
        if (isWritten && isGivenUp) await takeBack(task, hold)
      }
      // A charge that cannot be written now is written later, and taken back then: until that the hold stays.
      held.leaveTo(() => {
        isGivenUp = true
        return takeBackIfWritten()
      })
      const onWritten = () => {
        isWritten = true
        void takeBackIfWritten()
      }
      await writer.charge(row, onWritten, task).catch(cause => {
        throw refuseUnrecorded(cause)
      })
      const started = await submit(task, order.start)
      held.leaveTo(() => limits.settle(hold, { cost: metered.cost, tokens: metered.tokens }))
      await held.end('completed')
      quietly(() => observeCharge(metered), held.report)
      quietly(() => expectVideo(started.due_at ?? clock()), held.report)
      return { task: started, headers: settledHeaders({ metered }) }
    })
}
