// What a call leaves behind for others: a released call its tokens, a key nothing of its neighbour's money.
import { expect, test } from 'bun:test'
import { nanoDollars } from '../../ledger/money.ts'
import { buildKey, buildRequest, buildTeam } from '../testing/build-parties.ts'
import { createMemoryLimits } from './create-memory-limits.ts'

test('a released call gives back all its tokens', () => {
  const limits = createMemoryLimits({ clock: () => 0 })
  const call = { team: buildTeam({ tpmLimit: 100 }), tokens: { input: 40, output: 60 } }
  const first = limits.admit(buildRequest(call))
  if (!first.admitted) throw new Error('An empty window has room.')
  limits.release(first.hold)
  expect(limits.rates(call.team, buildKey()).tokens?.remaining).toBe(100)
  expect(limits.admit(buildRequest(call)).admitted).toBe(true)
})

test("the budget of a key is not used up by another key's calls", () => {
  const limits = createMemoryLimits({ clock: () => 0 })
  const pay = (keyHash: string) =>
    limits.admit(
      buildRequest({
        key: buildKey({ keyHash, maxBudget: nanoDollars(100) }),
        estimate: { kind: 'fixed', cost: nanoDollars(100) },
      }),
    )
  expect(pay('a').admitted).toBe(true)
  expect(pay('b').admitted).toBe(true)
  expect(pay('a').admitted).toBe(false)
})
