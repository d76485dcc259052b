// A lease under a clock and a database that the test moves: when it is held, when it is lost, and who may sweep.
import { beforeEach, describe, expect, test } from 'bun:test'
import { failureOf } from '../store/testing/failure-of.ts'
import { holdRenewed, type Lease, leaseMs } from './hold-lease.ts'

let now: number
let tick: () => void
let renew: () => Promise<boolean>
let places = 64
let reported: string[]
let ended: string[]
beforeEach(() => {
  now = 0
  tick = () => undefined
  renew = async () => true
  places = 64
  reported = []
  ended = []
})

async function hold(): Promise<Lease> {
  let ids = 0
  const lease = await holdRenewed({
    version: '1',
    newId: () => {
      ids += 1
      return `process-${ids}`
    },
    write: {
      registerProcess: async ({ processId }) => {
        if (places === 0) return null
        places -= 1
        return { processId, slot: places }
      },
      endProcess: async ({ processId }) => void ended.push(processId),
    },
    renew: () => renew(),
    describe: () => ({ directoryVersion: 0, catalogHash: null }),
    every: (_, run) => {
      tick = run
      return () => {
        tick = () => undefined
      }
    },
    monotonicMs: () => now,
    wait: async () => {
      now += 1000
    },
    reportLost: () => reported.push('lost'),
    reportNewPlace: ({ processId }) => reported.push(processId),
  })
  lease.whenLost(() => reported.push('stop'))
  return lease
}

/** Seconds in which everything runs normally. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    now += 1000
    tick()
    await new Promise(resolve => setImmediate(resolve))
  }
}

const away = () => Promise.reject(new Error('away'))

describe('a lease', () => {
  test('is held while it is renewed', async () => {
    const lease = await hold()
    await pass(100)
    expect([lease.isHeld(), lease.process().processId, reported]).toEqual([true, 'process-1', []])
    await lease.stop()
    expect(ended).toEqual(['process-1'])
  })

  test('lasts from the request for its renewal: the database may have answered late', async () => {
    const lease = await hold()
    renew = async () => {
      now += 900
      return true
    }
    await pass(1)
    now += leaseMs - 901
    expect(lease.isHeld()).toBe(true)
    now += 1
    expect(lease.isHeld()).toBe(false)
  })

  // Shown to fail by checking only the current lease (`#isHeldFor(0)` in `#tick`): streams would stop a second late.
  test('is lost before others may consider the process dead, and held again after a renewal', async () => {
    const lease = await hold()
    await pass(3)
    renew = away
    await pass(3)
    expect([lease.isHeld(), reported]).toEqual([true, []])
    await pass(1)
    expect([lease.isHeld(), reported]).toEqual([false, ['lost', 'stop']])
    await pass(20)
    expect(reported).toEqual(['lost', 'stop'])
    renew = async () => true
    await pass(1)
    expect([lease.isHeld(), lease.process().processId]).toEqual([true, 'process-1'])
  })

  // Shown to fail by keeping the id: its new calls would be swept as they come.
  test('is lost at once if the process slept past it and was declared dead, and a new one is taken', async () => {
    const lease = await hold()
    await pass(3)
    now += 60_000
    expect(lease.isHeld()).toBe(false)
    renew = async () => false
    tick()
    expect(reported).toEqual(['lost', 'stop'])
    renew = async () => true
    await pass(1)
    expect(reported).toEqual(['lost', 'stop', 'process-2'])
    expect([lease.isHeld(), lease.process()]).toEqual([true, { processId: 'process-2', slot: 62 }])
  })

  test('is taken again as soon as there is a free place', async () => {
    const lease = await hold()
    renew = async () => false
    places = 0
    await pass(3)
    expect([lease.isHeld(), reported]).toEqual([false, ['lost', 'stop']])
    places = 1
    await pass(1)
    expect(lease.isHeld()).toBe(true)
  })

  test('does not notify listeners that have stopped', async () => {
    const lease = await hold()
    lease.whenLost(() => reported.push('never'))()
    renew = away
    await pass(10)
    expect(reported).toEqual(['lost', 'stop'])
  })

  test('waits for a place at the start, but not forever', async () => {
    places = 0
    expect((await failureOf(hold())).message).toContain('maximum of 64 processes')
    expect(now).toBe(15_000)
  })
})

// Shown to fail by `maySweep: () => true`, by a failure that leaves `#steadyFrom`, and by no look at the gap (`gapMs`).
describe('permission to sweep', () => {
  test('for a process that renewed its lease without a gap for a whole lease', async () => {
    const lease = await hold()
    await pass(leaseMs / 1000 - 1)
    expect(lease.maySweep()).toBe(false)
    await pass(1)
    expect(lease.maySweep()).toBe(true)
  })

  test('not for one that could not renew it: after an outage all processes renew first', async () => {
    const lease = await hold()
    await pass(10)
    renew = away
    await pass(1)
    expect(lease.maySweep()).toBe(false)
    renew = async () => true
    await pass(5)
    expect(lease.maySweep()).toBe(false)
    await pass(1)
    expect(lease.maySweep()).toBe(true)
  })

  test('not for one that has slept, whether or not it has looked at the clock since', async () => {
    const lease = await hold()
    await pass(10)
    now += 2500
    expect(lease.maySweep()).toBe(false)
    await pass(5)
    expect(lease.maySweep()).toBe(false)
    await pass(1)
    expect(lease.maySweep()).toBe(true)
  })

  test('not for one that has just taken a new place', async () => {
    const lease = await hold()
    await pass(10)
    renew = async () => false
    await pass(1)
    renew = async () => true
    await pass(4)
    expect(lease.maySweep()).toBe(false)
    await pass(1)
    expect(lease.maySweep()).toBe(true)
  })
})
