// Tokens beyond a reservation count as soon as they are known, and once.
import { expect, test } from 'bun:test'
import { nanoDollars } from '../../ledger/money.ts'
import { buildRequest, buildTeam } from '../testing/build-parties.ts'
import { createMemoryLimits } from './create-memory-limits.ts'

function admitOne() {
  const time = { now: 1_000_000 }
  const limits = createMemoryLimits({ clock: () => time.now })
  const team = buildTeam({ tpmLimit: 1000 })
  const request = buildRequest({ team, tokens: { input: 10, output: 90 } })
  const decision = limits.admit(request)
  if (!decision.admitted) throw new Error('Refused.')
  const left = () => limits.rates(team, request.key).tokens?.remaining
  return { time, limits, hold: decision.hold, left }
}

// Shown to fail by settling without regard to what `exceed` has counted (ledger/token-window.ts).
test('an excess that is told beforehand is not counted again by the settlement', () => {
  const { time, limits, hold, left } = admitOne()
  time.now += 30_000
  limits.exceed(hold, 130)
  limits.exceed(hold, 130)
  expect(left()).toBe(870)
  time.now += 5000
  limits.settle(hold, { cost: nanoDollars(0), tokens: 150 })
  expect(left()).toBe(850)
  time.now += 25_000
  expect(left()).toBe(950)
})

test('less than was reserved is no excess, and a call that has ended has none', () => {
  const { limits, hold, left } = admitOne()
  limits.exceed(hold, 40)
  expect(left()).toBe(900)
  limits.settle(hold, { cost: nanoDollars(0), tokens: 40 })
  limits.exceed(hold, 500)
  expect(left()).toBe(960)
})

test('a call that exceeds and is then released gives back its reservation, and no more', () => {
  const { limits, hold, left } = admitOne()
  limits.exceed(hold, 130)
  limits.release(hold)
  expect(left()).toBe(970)
})
