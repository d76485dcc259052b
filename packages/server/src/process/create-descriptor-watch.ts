// Makes the watch of file descriptors for this process, and gives each change a line in the log.

import type { Log } from '../http/log.ts'
import type { createProcessFigures } from '../http/process-figures.ts'
import { every } from '../world/timers.ts'
import { DescriptorWatch, readLowestFree } from './watch-descriptors.ts'

export function createDescriptorWatch({
  system,
  log,
}: {
  readonly system: ReturnType<typeof createProcessFigures>
  readonly log: Pick<Log, 'warn'>
}): DescriptorWatch {
  return new DescriptorWatch({
    limit: system.maximumDescriptors,
    readLowestFree,
    countOpen: system.openDescriptors,
    every,
    reportHeld: ({ open, limit }) =>
      log.warn(
        { open_descriptors: open, max_descriptors: limit },
        'File descriptors are running out: new connections wait. Raise the limit, or close connections.',
      ),
    reportReleased: ({ open, limit }) =>
      log.warn(
        { open_descriptors: open, max_descriptors: limit },
        'File descriptors are free: new connections are accepted again.',
      ),
  })
}
