// Refused calls on their way to the record: each kind shows up at once, a loop is counted, and memory stays bounded.
import { describe, expect, test } from 'bun:test'
import type { CallRecord } from '../../ledger/call-record.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import { buildRefusedCall } from './testing/build-refused-call.ts'
import { UnchargedCalls } from './uncharged-calls.ts'

function setUp() {
  const written: CallRecord[] = []
  const failures: number[] = []
  const state = { now: 0, isAway: false, poison: 'none' }
  let tick = (): void => undefined
  const calls = new UnchargedCalls({
    write: async rows => {
      if (state.isAway) throw new StoreUnavailable(null, null)
      if (rows.some(({ code }) => code === state.poison)) throw new Error('no such text')
      written.push(...rows)
    },
    every: (_, run) => {
      tick = run
      return () => undefined
    },
    clock: () => state.now,
    reportFailure: (_, waiting) => failures.push(waiting),
  })
  const turn = async (milliseconds: number): Promise<void> => {
    state.now += milliseconds
    tick()
    for (let round = 0; round < 50; round += 1) await Promise.resolve()
  }
  return { calls, written, failures, state, turn }
}

describe('calls that are not charged', () => {
  test('each kind is written within a second', async () => {
    const { calls, written, turn } = setUp()
    calls.add(buildRefusedCall('a'))
    calls.add(buildRefusedCall('b', { code: 'model_not_found' }))
    await turn(1000)
    expect(written.map(({ callId, count }) => [callId, count])).toEqual([
      ['a', 1],
      ['b', 1],
    ])
    await turn(1000)
    expect(written).toHaveLength(2)
  })

  test('equal calls within a minute are one record, with their number and the last call', async () => {
    const { calls, written, turn } = setUp()
    for (let number = 0; number < 10_000; number += 1)
      calls.add(buildRefusedCall(`call-${number}`, { receivedAt: number }))
    await turn(1000)
    expect(written.map(({ callId }) => callId)).toEqual(['call-0'])
    await turn(59_000)
    expect(written).toHaveLength(2)
    expect(written[1]).toMatchObject({ callId: 'call-1', count: 9999, receivedAt: 1, lastAt: 9999 })
    expect(calls.size()).toBe(0)
  })

  test('a client that requests a different model each time leaves only a few rows a minute', async () => {
    const { calls, written, turn } = setUp()
    for (let number = 0; number < 10_000; number += 1)
      calls.add(buildRefusedCall(`call-${number}`, { modelAsked: `model-${number}` }))
    expect(calls.size()).toBeLessThan(70)
    await turn(60_000)
    expect(written.length).toBeLessThan(70)
    expect(written.reduce((sum, { count }) => sum + count, 0)).toBe(10_000)
    expect(written.at(-1)).toMatchObject({ modelAsked: null, code: 'rpm_exceeded' })
  })

  // On the previous build, 4,299 of 5,038 lost their code: a session that changes took all runs of the key.
  test('a client that changes its session each time keeps its code and model', async () => {
    const { calls, written, turn } = setUp()
    const client = buildRefusedCall('').client
    for (let number = 0; number < 5000; number += 1)
      calls.add(
        buildRefusedCall(`call-${number}`, {
          client: { ...client, sessionId: `session-${number}` },
          code: number % 5 === 0 ? 'budget_exceeded' : 'rpm_exceeded',
        }),
      )
    await turn(60_000)
    expect(written.length).toBeLessThan(70)
    const sum = (wanted: string) =>
      written.reduce((all, { code, count }) => (code === wanted ? all + count : all), 0)
    expect([sum('rpm_exceeded'), sum('budget_exceeded')]).toEqual([4000, 1000])
    expect(written.every(({ modelAsked }) => modelAsked === 'model-1')).toBe(true)
  })

  test('with calls of many keys and an unavailable store, memory is bounded and every call is counted', async () => {
    const { calls, written, failures, state, turn } = setUp()
    state.isAway = true
    for (let number = 0; number < 50_000; number += 1)
      calls.add(
        buildRefusedCall(`call-${number}`, { keyHash: `key-${number % 100}`, code: `code-${number % 40}` }),
      )
    await turn(1000)
    expect(failures).toEqual([200])
    expect(calls.size()).toBeLessThan(5000)
    state.isAway = false
    expect(await calls.close()).toBe(true)
    expect(written.reduce((sum, { count }) => sum + count, 0)).toBe(50_000)
  })

  test('a row that the store rejects delays no other', async () => {
    const { calls, written, failures, state, turn } = setUp()
    state.poison = 'poison'
    calls.add(buildRefusedCall('a'))
    calls.add(buildRefusedCall('b', { code: 'poison' }))
    calls.add(buildRefusedCall('c', { code: 'model_not_found' }))
    await turn(1000)
    expect(written.map(({ callId }) => callId)).toEqual(['a', 'c'])
    expect(failures).toEqual([3])
    await turn(1000)
    expect(failures).toEqual([3])
  })

  test('a close writes the unfinished runs', async () => {
    const { calls, written } = setUp()
    calls.add(buildRefusedCall('a'))
    calls.add(buildRefusedCall('b'))
    calls.add(buildRefusedCall('c'))
    expect(await calls.close()).toBe(true)
    expect(written.map(({ callId, count }) => [callId, count])).toEqual([
      ['a', 1],
      ['b', 2],
    ])
  })

  test('a close reports that calls could not be written', async () => {
    const { calls, state } = setUp()
    state.isAway = true
    calls.add(buildRefusedCall('a'))
    expect(await calls.close()).toBe(false)
  })
})
