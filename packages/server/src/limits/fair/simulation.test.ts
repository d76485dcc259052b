// suite: invariant; 7 s
// Random crowds at a scarce model, against a bookkeeper that shares the window out afterwards.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createMemoryEngine } from '../testing/create-memory-engine.ts'
import { hardPlans, type LinesTally, linesPlan, playLines } from '../testing/simulation/play-lines.ts'
import { chooseSeed } from '../testing/simulation/simulate.ts'

for (const linesEach of [1, 2, 3]) {
  const lines = linesEach === 1 ? 'one line: ' : `${linesEach} sets of lines before one window: `
  test(`${lines}each team gets its part, no capacity is idle, and no window, cap or phase is exceeded`, async () => {
    const seed = chooseSeed()
    const tally: LinesTally = { calls: 0, refused: 0, over: 0 }
    await fc.assert(
      fc.asyncProperty(linesPlan, plan => playLines(plan, createMemoryEngine, tally, linesEach)),
      { seed, numRuns: linesEach === 1 ? 14 : 5, examples: hardPlans.map(plan => [plan]) },
    )
    console.log(
      `simulation of fair lines, ${linesEach} before a window: SIMULATION_SEED=${seed}, ${JSON.stringify(tally)}`,
    )
    expect(tally.over).toBeGreaterThan(0)
  }, 300_000)
}
