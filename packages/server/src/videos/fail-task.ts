// The end of a video that was not made: failed in the store with its money back there, then in the limits, each once.
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

export type TaskFailures = {
  readonly failTask: FailTask
  /** Resolves when nobody is failing this task: what the store has told of it by then, the limits know as well. */
  readonly whenTold: (taskId: string) => Promise<void>
}

/**
 * For a task whose charge counts in the limits; whoever finds out that it has failed may call this. Rejects when the store could
 * not say: the task is then as it was, or failed by a commit whose answer was lost. A later try ends it either way, and gives
 * the money back once.
 */
export function createTaskFailures(dependencies: FailTaskDependencies): TaskFailures {
  const { write, limits, clock, observeRefund } = dependencies
  /** Tasks of whose failure the store could not say: whether the money is back is known at the next try. */
  const unsure = new Set<string>()
  /** Task → the end of the last of those who are failing it. */
  const underWay = new Map<string, Promise<void>>()

  const failOnce: FailTask = async (task, failure) => {
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

  return Object.freeze({
    failTask: (task: VideoTasksTable, failure: VideoFailure): Promise<void> => {
      const { task_id } = task
      // One after the other: who comes second is not done before the money is back.
      const failing = (underWay.get(task_id) ?? Promise.resolve()).then(() => failOnce(task, failure))
      const over = failing
        .catch(() => undefined)
        .then(() => {
          if (underWay.get(task_id) === over) underWay.delete(task_id)
        })
      underWay.set(task_id, over)
      return failing
    },
    whenTold: async (taskId: string): Promise<void> => underWay.get(taskId),
  })
}
