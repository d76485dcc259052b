// Reads videos for their teams: a failed one is shown only when its money is back in the limits.
import type { VideoTask } from '../ledger/video-task.ts'
import type { Store } from '../store/store.ts'
import type { TaskFailures } from './fail-task.ts'

export type ToldTasks = Pick<
  Store['read'],
  'readVideoTask' | 'listVideoTasks' | 'readUpstreamOperation' | 'readUpstreamFile'
>

export function readToldTasks(read: ToldTasks, { whenTold }: Pick<TaskFailures, 'whenTold'>): ToldTasks {
  const tell = async (task: VideoTask | null): Promise<VideoTask | null> => {
    if (task?.state === 'failed') await whenTold(task.taskId)
    return task
  }
  return {
    readVideoTask: async input => tell(await read.readVideoTask(input)),
    readUpstreamOperation: async input => tell(await read.readUpstreamOperation(input)),
    listVideoTasks: async input => {
      const tasks = await read.listVideoTasks(input)
      for (const task of tasks) await tell(task)
      return tasks
    },
    readUpstreamFile: read.readUpstreamFile,
  }
}
