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
 * For a task in hand whose charge counts in the limits. Rejects when the store could not say: the task is then as it was, or
 * failed by a commit whose answer was lost. A later try ends it either way, and only a try that resolves gives the money back.
 */
export function createFailTask({ write, limits, clock, observeRefund }: FailTaskDependencies): FailTask {
  return async (task, failure) => {
    const { team_id, task_id } = task
    const { failed } = await write.failVideoTask({
      team_id,
      task_id,
      error: failure,
      now: clock(),
      hidden: false,
    })
    if (!failed) return
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
