// Opens the watch of file descriptors for this process, and gives each change a line in the log.
import { createProcessFigures } from '../http/process-figures.ts'
import type { World } from '../world/world.ts'
import { DescriptorWatch, readLowestFree } from './watch-descriptors.ts'

/** It looks from `start` on. */
export function openDescriptorWatch({ metrics, every, log, onDrain }: World): DescriptorWatch {
  const { maximumDescriptors, openDescriptors } = createProcessFigures()
  const watch = new DescriptorWatch({
    limit: maximumDescriptors,
    readLowestFree,
    countOpen: openDescriptors,
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
  metrics.watch({ isHolding: watch.isHolding })
  onDrain(() => watch.stop())
  return watch
}
