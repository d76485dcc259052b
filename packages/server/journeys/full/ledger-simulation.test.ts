// suite: 56 s
// The long campaign of the ledger's simulation: a minute of random histories, in rounds with their own seeds.
import { expect, test } from 'bun:test'
import { createMemoryEngine } from '../../src/limits/testing/create-memory-engine.ts'
import { chooseSeed, simulate } from '../../src/limits/testing/simulation/simulate.ts'

const isReplay = !['random', undefined].includes(process.env.SIMULATION_SEED)
const firstSeed = chooseSeed()
const lengthMs = 55_000
/** As many as the regular test plays from one seed, so that it can replay a round. */
const histories = 100
/** The rarest refusal occurs in every sixth history, so each one occurs on a slow machine too. */
const leastRounds = 5

test('a minute of random histories: the limits and the slow reference bookkeeper never differ', async () => {
  const started = performance.now()
  let [rounds, steps, admitted, waits] = [0, 0, 0, 0]
  const refused = new Map<string, number>()
  const isOver = () =>
    isReplay ? rounds === 1 : rounds >= leastRounds && performance.now() - started > lengthMs
  while (!isOver()) {
    const seed = firstSeed + rounds
    const played = await simulate({ createEngine: createMemoryEngine, seed, histories, steps: 500 })
    rounds += 1
    steps += played.steps
    admitted += played.admitted
    waits += played.waits
    for (const [name, count] of played.refused) refused.set(name, (refused.get(name) ?? 0) + count)
  }
  const seconds = (performance.now() - started) / 1000
  console.log(
    `ledger simulation: seeds ${firstSeed} to ${firstSeed + rounds - 1}, ${steps} steps ` +
      `(${Math.round(steps / seconds)} per second), ${admitted} admitted, ${waits} waits kept`,
  )
  console.log(
    [...refused]
      .map(([name, count]) => `${name} ${count}`)
      .sort()
      .join(', '),
  )
  expect(admitted).toBeGreaterThan(0)
  if (!isReplay) expect(refused.size).toBe(19)
}, 600_000)
