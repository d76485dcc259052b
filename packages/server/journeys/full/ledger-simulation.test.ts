// The long campaign of the ledger's simulation: a minute of random histories, each with a seed of its own.
import { expect, test } from 'bun:test'
import { simulate } from '../../src/limits/testing/simulation/simulate.ts'

const seed = process.env.SIMULATION_SEED
const stepsPerHistory = Number(process.env.SIMULATION_STEPS ?? 250)
const firstSeed = Number(seed ?? Date.now() % 1_000_000_000)
const lengthMs = 55_000
/** The rarest of all refusals comes in every sixth: on a slow machine too each is met. */
const leastHistories = 500

test('a minute of random histories: the limits and the slow bookkeeper never differ', () => {
  const started = performance.now()
  const totals = simulate({
    firstSeed,
    stepsPerHistory,
    isOver: ({ histories }) =>
      seed === undefined
        ? histories >= leastHistories && performance.now() - started > lengthMs
        : histories >= 1,
  })
  const seconds = (performance.now() - started) / 1000
  console.log(
    `ledger simulation: seeds ${firstSeed} to ${firstSeed + totals.histories - 1}, ${totals.steps} steps ` +
      `(${Math.round(totals.steps / seconds)} per second), ${totals.admitted} admitted, ${totals.waits} waits kept`,
  )
  console.log(
    [...totals.refused]
      .sort()
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
  )
  if (totals.failure !== null) throw new Error(totals.failure)
  expect(totals.admitted).toBeGreaterThan(0)
  if (seed === undefined) expect(totals.refused.size).toBe(17)
}, 600_000)
