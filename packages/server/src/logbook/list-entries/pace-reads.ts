// Keeps long readings from being in the way of everyone else: one step at a time, and a rest after each.

export type PaceDependencies = {
  /** Monotonic ms. */
  readonly stopwatch: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

export type PaceReads = <Result>(step: () => Promise<Result>) => Promise<Result>

/**
 * A rest lasts so many times as long as its step: the busier the machine, the longer. Without rests one export of 300,000 entries left
 * small requests to the logbook a third of their pace; with them four at once left between half and all of it, on a busy machine.
 */
const restPerStep = 2
const longestRestMs = 500

/** All readings that share one pace take turns, in the order in which they ask. */
export function createPace({ stopwatch, wait }: PaceDependencies): PaceReads {
  let turn: Promise<unknown> = Promise.resolve()
  return step => {
    const result = turn.then(async () => {
      const begun = stopwatch()
      return { output: await step(), restMs: Math.min(restPerStep * (stopwatch() - begun), longestRestMs) }
    })
    turn = result.then(
      ({ restMs }) => wait(restMs),
      // Whoever asked for it is told; the next one need not wait.
      () => undefined,
    )
    return result.then(({ output }) => output)
  }
}
