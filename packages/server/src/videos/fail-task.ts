// The end of a film that was not made: failed in the store with its money back there, then in the limits, each once.
import { nanoDollars } from '../ledger/money.ts'
import type { Limits } from '../limits/port.ts'
import type { VideoTasksTable } from '../store/schema/videos.ts'
import type { Store } from '../store/store.ts'
import type { VideoFailure } from '../upstream/video-port.ts'

export type FailTaskDependencies = {
  readonly write: Pick<Store['write'], 'failVideoTask'>
  readonly limits: Pick<Limits, 'refund'>
  /** Unix ms. */
  readonly clock: () => number
  readonly observeRefund: (task: VideoTasksTable) => void
}

export type FailTask = (task: VideoTasksTable, failure: VideoFailure) => Promise<void>

/**
 * For a task whose charge counts in the limits; whoever finds out that it has failed may call this. Rejects when the store could
 * not say: the task is then as it was, or failed by a commit whose answer was lost. A later try ends it either way, and gives
 * the money back once.
 */
export function createFailTask({ write, limits, clock, observeRefund }: FailTaskDependencies): FailTask {
  /** Tasks of whose failure the store could not say: whether the money is back is known at the next try. */
  const unsure = new Set<string>()
  return async (task, failure) => {
    const { team_id, task_id } = task
    const { refunded, failed } = await write
      .failVideoTask({ team_id, task_id, error: failure, now: clock(), hidden: false })
      .catch(error => {
        unsure.add(task_id)
        throw error
      })
    const wasUnsure = unsure.delete(task_id)
    if (!refunded && !(failed && wasUnsure)) return
    limits.refund({
      teamId: team_id,
      keyHash: task.key_hash,
      modelId: task.model_id,
      periods: { team: task.team_period, key: task.key_period },
      cost: nanoDollars(task.cost_nano),
    })
    observeRefund(task)
  }
}
