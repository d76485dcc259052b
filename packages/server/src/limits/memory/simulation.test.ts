// suite: invariant
// Random histories of calls, crashes, clock steps and changing limits, against a bookkeeper that counts everything again.
import { expect, test } from 'bun:test'
import { createMemoryEngine } from '../testing/create-memory-engine.ts'
import { chooseSeed, simulate } from '../testing/simulation/simulate.ts'

test('every decision, refusal and figure equals a recount of all events', async () => {
  const seed = chooseSeed()
  const { steps, over } = await simulate({
    createEngine: createMemoryEngine,
    seed,
    histories: 100,
    steps: 500,
  })
  console.log(`ledger simulation: SIMULATION_SEED=${seed}, ${steps} steps, ${over} calls after their phase`)

  // Only with a fixed seed, because a history may refuse every call.
  const known = await simulate({ createEngine: createMemoryEngine, seed: 1, histories: 5, steps: 250 })
  expect(known.admitted).toBeGreaterThan(0)
})
