// Random histories of calls, crashes, clock steps and changing limits, against a bookkeeper that counts everything again.
import { expect, test } from 'bun:test'
import { simulate } from '../testing/simulation/simulate.ts'

const seed = process.env.SIMULATION_SEED
const stepsPerHistory = Number(process.env.SIMULATION_STEPS ?? 250)
const firstSeed = Number(seed ?? Date.now() % 1_000_000_000)
const histories = seed === undefined ? 100 : 1

test('every decision, refusal and figure is what counting all events again gives', () => {
  const totals = simulate({ firstSeed, stepsPerHistory, isOver: played => played.histories >= histories })
  console.log(`ledger simulation: SIMULATION_SEED=${firstSeed}, ${totals.steps} steps`)
  if (totals.failure !== null) throw new Error(totals.failure)

  // On a seed that stays the same: a history may refuse every call.
  const known = simulate({ firstSeed: 1, stepsPerHistory: 250, isOver: played => played.histories >= 1 })
  expect(known.admitted).toBeGreaterThan(0)
})
