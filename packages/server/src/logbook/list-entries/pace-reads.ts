// Keeps long reads from delaying everyone else: they take one step at a time, with a rest after each.
import type { World } from '../../world/world.ts'

export type PaceReads = <Result>(step: () => Promise<Result>) => Promise<Result>

/**
 * A rest lasts this many times as long as its step, so it is longer on a busy machine. Without rests, small requests to the logbook ran at
 * a third of their pace during one export of 300,000 entries. With rests they ran at half to full pace during four exports (measured on a
 * busy machine).
 */
const restPerStep = 2
const longestRestMs = 500

/** All reads that share one pace take turns, in the order in which they ask. */
export function createPace({ stopwatch, wait }: Pick<World, 'stopwatch' | 'wait'>): PaceReads {
  let turn: Promise<unknown> = Promise.resolve()
  return step => {
    const result = turn.then(async () => {
      const begun = stopwatch()
      return { output: await step(), restMs: Math.min(restPerStep * (stopwatch() - begun), longestRestMs) }
    })
    turn = result.then(
      ({ restMs }) => wait(restMs),
      // The caller of the step gets the failure; the next step need not rest.
      () => undefined,
    )
    return result.then(({ output }) => output)
  }
}
