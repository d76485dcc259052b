import { describe, expect, test } from 'bun:test'
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import type { Decision, Hold } from '../port.ts'
import { buildKey, buildRequest, buildTeam, type RequestChanges } from '../testing/build-parties.ts'
import { createMemoryEngine } from '../testing/create-memory-engine.ts'
import { describeLimits } from '../testing/describe-limits.ts'
import { lookAt } from '../testing/look-at.ts'
import { createMemoryLimits } from './create-memory-limits.ts'

describeLimits('the limits in memory', 'process', createMemoryEngine)

function setUp(start = 1_000_000) {
  const time = { now: start }
  const limits = createMemoryLimits({ clock: () => time.now })
  const admit = (changes: RequestChanges = {}) => limits.admit(buildRequest(changes))
  return { time, limits, admit }
}

function holdOf(decision: Decision): Hold {
  if (!decision.admitted) throw new Error(`Refused: ${decision.refusal.code}`)
  return decision.hold
}

function paying(cost: number): { estimate: { kind: 'fixed'; cost: NanoDollars } } {
  return { estimate: { kind: 'fixed', cost: nanoDollars(cost) } }
}

describe('memory', () => {
  // Shown to guard: without the call of pruneOwnerStates all 5,000 owners stay.
  test('forgets idle owners that have spent nothing, but not money and running calls', () => {
    const { limits, admit, time } = setUp()
    for (let index = 0; index < 5000; index += 1) {
      const owners = {
        team: buildTeam({ teamId: `t${index}`, rpmLimit: 5, tpmLimit: 500 }),
        key: buildKey({ keyHash: `k${index}` }),
      }
      limits.release(holdOf(admit({ ...owners, tokens: { input: 5, output: 5 } })))
    }
    const spender = { team: buildTeam({ teamId: 'spender' }), key: buildKey({ keyHash: 'spender' }) }
    limits.settle(holdOf(admit({ ...spender, ...paying(5) })), { cost: nanoDollars(5), tokens: 0 })
    const runner = holdOf(
      admit({ team: buildTeam({ teamId: 'runner' }), key: buildKey({ keyHash: 'runner' }) }),
    )
    // As happens once a second: unwritten state is not forgotten.
    limits.gatherWindows('second')?.written()
    time.now += 120_000
    holdOf(admit())
    expect(limits.owners()).toBe(6)
    const spent = limits.readModelSpend([{ teamId: 'spender', keyHash: 'spender', periodStart: 0 }])
    expect<unknown>(spent).toEqual([[{ modelId: 'model-1', spent: 5 }]])
    limits.release(runner)
    expect(lookAt(limits, buildTeam({ teamId: 'runner' }), buildKey({ keyHash: 'runner' })).running).toBe(0)
  })

  // Fails when idle owners are forgotten whether or not their last change has been written.
  test('returns of a call are written, even if its owner has been idle since', () => {
    const { limits, admit, time } = setUp()
    const look = () => lookAt(limits, buildTeam({ teamId: 'other' }), buildKey({ keyHash: 'other' }))
    look()
    time.now += 59_999
    const owners = { team: buildTeam({ tpmLimit: 100 }), key: buildKey({}) }
    const hold = holdOf(admit({ ...owners, tokens: { input: 5, output: 5 } }))
    limits.gatherWindows('second')?.written()
    limits.settle(hold, { cost: nanoDollars(0), tokens: 0 })
    time.now += 1
    look()
    const gathered = limits.gatherWindows('second')
    expect(gathered?.windows.map(({ seconds }) => seconds.map(({ tokens }) => tokens))).toEqual([[0]])
  })
})
