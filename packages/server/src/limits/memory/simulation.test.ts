// Random histories of calls, crashes, clock steps and changing limits, against a bookkeeper that counts everything anew.
import { expect, test } from 'bun:test'
import { simulate } from '../testing/simulation/simulate.ts'

const seed = process.env.SIMULATION_SEED
const stepsPerHistory = Number(process.env.SIMULATION_STEPS ?? 250)
const firstSeed = Number(seed ?? Date.now() % 1_000_000_000)
const longestMs = 3000

test('every decision, refusal and figure is what counting all events anew gives', () => {
  const started = performance.now()
  const isLate = () => performance.now() - started > longestMs
  const totals = simulate({
    firstSeed,
    stepsPerHistory,
    isOver: ({ histories }) => histories >= (seed === undefined ? 150 : 1) || isLate(),
  })
  console.log(`ledger simulation: SIMULATION_SEED=${firstSeed}, ${totals.steps} steps`)
  if (totals.failure !== null) throw new Error(totals.failure)
  expect(totals.admitted).toBeGreaterThan(0)
})
