// suite: invariant; 10 s
// Random crowds at an upstream that refuses calls: liars slow only themselves down, and a small quota is shared.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { beginAt, liarsPlan, playRefusals, type RefusalsPlan } from '../testing/simulation/play-refusals.ts'
import { chooseSeed } from '../testing/simulation/simulate.ts'

// Shown to fail with queues that slow down all teams for the refusals of one, or of any two.
test('no call of an honest team waits or is refused, no matter what liars make the upstream refuse', async () => {
  const seed = chooseSeed()
  const tally = { served: 0, refused: 0 }
  const play = async (plan: RefusalsPlan) => {
    const met = await playRefusals(plan, 60_000)
    for (const { team, at, end, waitedMs } of met) {
      if (end === 'refused') tally.refused += 1
      if ((plan.teams[team]?.liesPercent ?? 0) > 0) continue
      tally.served += 1
      if (end !== 'served' || waitedMs > 0) throw new Error(`t${team} at ${at}: ${end} after ${waitedMs} ms`)
    }
  }
  await fc.assert(fc.asyncProperty(liarsPlan, play), { seed, numRuns: 25 })
  console.log(`simulation of liars: SIMULATION_SEED=${seed}, ${JSON.stringify(tally)}`)
  expect(tally.refused).toBeGreaterThan(0)
}, 300_000)

const perSecond = 20
const ordinary = { workers: 6, callMs: 500, obeys: true, pinnedTo: null, liesPercent: 0 }
const greedy = { ...ordinary, workers: 40, obeys: false }
const liar = { ...greedy, workers: 20, liesPercent: 100 }
const honest = [greedy, ...Array.from({ length: 9 }, () => ordinary)]

for (const [who, processes, teams] of [
  ['a greedy one', 1, honest],
  ['a greedy one, at two processes', 2, honest],
  ['a greedy one and two liars', 1, [...honest, liar, liar]],
] as const) {
  // Shown to fail for two processes that do not report which teams the upstream refuses.
  test(`a small quota of the upstream is used up, in equal parts: nine ordinary teams and ${who}`, async () => {
    const seed = chooseSeed()
    const plan = { teams, perSecond, retryMs: 1000, processes, rpm: null, seed }
    const [warmUpMs, lengthMs] = [60_000, 240_000]
    const met = await playRefusals(plan, lengthMs)
    const served = met.filter(({ end, at }) => end === 'served' && at >= beginAt + warmUpMs)
    const counts = honest.map((_, team) => served.filter(each => each.team === team).length)
    const refused = met.filter(({ team, end }) => end === 'refused' && team < honest.length).length
    console.log(`${who}: SIMULATION_SEED=${seed}, served ${counts.join(' ')}, refused ${refused}`)
    const quota = (perSecond * (lengthMs - warmUpMs)) / 1000
    expect(served.length).toBeGreaterThanOrEqual(0.9 * quota)
    for (const count of counts) {
      expect(count).toBeGreaterThanOrEqual((0.8 * quota) / honest.length)
      expect(count).toBeLessThanOrEqual((1.2 * quota) / honest.length)
    }
  }, 300_000)
}
