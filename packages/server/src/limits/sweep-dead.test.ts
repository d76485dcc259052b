// When the sweep runs: once a second, by a process that may sweep, one round at a time, and again after a failure.
import { expect, test } from 'bun:test'
import { keepSweeping, type Swept } from './sweep-dead.ts'

const nextTurn = () => new Promise(resolve => setImmediate(resolve))

function open() {
  const world = {
    maySweep: true,
    dead: [] as string[],
    /** Ends of the pieces of each process. */
    pieces: [false, true],
    failure: null as Error | null,
    asked: [] as boolean[],
    swept: [] as string[],
    reports: [] as Swept[],
    failures: [] as unknown[],
    gate: Promise.resolve(),
    tick: (): void => undefined,
  }
  const stop = keepSweeping({
    store: {
      read: {
        findDeadProcesses: async ({ withUnknown }) => {
          world.asked.push(withUnknown)
          await world.gate
          if (world.failure !== null) throw world.failure
          return world.dead.splice(0)
        },
      },
      write: {
        sweepCalls: async ({ deadProcessId }) => {
          world.swept.push(deadProcessId)
          const isOver = world.pieces[world.swept.length % 2 === 1 ? 0 : 1] ?? true
          return { charged: 2, refunded: 1, released: 0, isOver }
        },
      },
    },
    lease: { process: () => ({ processId: 'me', slot: 0 }), maySweep: () => world.maySweep },
    clock: () => 0,
    every: (_, run) => {
      world.tick = run
      return () => {
        world.tick = () => undefined
      }
    },
    report: swept => world.reports.push(swept),
    reportFailure: error => world.failures.push(error),
  })
  const round = async () => {
    world.tick()
    await nextTurn()
  }
  return { world, round, stop }
}

test('each dead process is swept piece by piece and reported once', async () => {
  const { world, round } = open()
  await round()
  expect(world.reports).toEqual([])
  world.dead = ['a', 'b']
  await round()
  expect(world.swept).toEqual(['a', 'a', 'b', 'b'])
  expect(world.reports).toEqual([{ charged: 8, refunded: 4, released: 0 }])
})

test('a process that may not sweep reads nothing', async () => {
  const { world, round } = open()
  world.maySweep = false
  await round()
  expect(world.asked).toEqual([])
})

test('all running calls are checked now and then, not each second', async () => {
  const { world, round } = open()
  for (let count = 0; count < 31; count += 1) await round()
  expect(world.asked.filter(Boolean)).toHaveLength(2)
})

test('a failed round is reported, and the next one runs', async () => {
  const { world, round } = open()
  world.failure = new Error('away')
  await round()
  world.failure = null
  world.dead = ['a']
  await round()
  expect(world.failures).toEqual([new Error('away')])
  expect(world.swept).toEqual(['a', 'a'])
})

test('runs one round at a time, and a stop waits for its end', async () => {
  const { world, round, stop } = open()
  const gate = Promise.withResolvers<void>()
  world.gate = gate.promise
  await round()
  await round()
  expect(world.asked).toHaveLength(1)
  let isStopped = false
  const stopped = stop().then(() => {
    isStopped = true
  })
  await nextTurn()
  expect(isStopped).toBe(false)
  gate.resolve()
  await stopped
})
