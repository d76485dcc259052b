// Checks which bodies get room, wait or are refused; times are events of the test, never of a clock.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type BodyLimits, type BodyRoom, createBodyBudget } from './body-budget.ts'

const mebibyte = 1024 * 1024

function open(changes: Partial<BodyLimits> = {}) {
  const timers = new Set<() => void>()
  const refusals: string[] = []
  const budget = createBodyBudget({
    limits: {
      key: 16 * mebibyte,
      door: 32 * mebibyte,
      process: 48 * mebibyte,
      waitingPerKey: 4,
      waiting: 8,
      waitMs: 1000,
      ...changes,
    },
    startTimer: (_, run) => {
      timers.add(run)
      return () => timers.delete(run)
    },
    observeRefusal: (door, cause) => refusals.push(`${door} ${cause}`),
  })
  const [gateway, logbook] = [budget.openDoor('gateway'), budget.openDoor('logbook')]
  const never = new AbortController().signal
  /** The state of a body so far: its room, `waits`, or the code and retry-after of its refusal. */
  const ask = (owner: string, mebibytes: number, door = gateway, signal = never) => {
    const asked: { room: BodyRoom | null; state: string } = { room: null, state: 'waits' }
    door.take(owner, mebibytes * mebibyte, signal).then(
      room => {
        asked.room = room
        asked.state = 'has room'
      },
      error => {
        asked.state =
          error instanceof ApiError
            ? `${error.code} ${error.headers['retry-after'] ?? ''}`.trim()
            : String(error)
      },
    )
    return asked
  }
  return {
    gateway,
    logbook,
    ask,
    refusals,
    passTime: () => {
      for (const run of [...timers]) run()
    },
  }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

test('a key has its own room; its further bodies wait for it, and those of other keys do not', async () => {
  const { ask } = open()
  const first = ask('a', 8)
  const second = ask('a', 8)
  const other = ask('b', 8)
  await settled()
  expect([first.state, second.state, other.state]).toEqual(['has room', 'waits', 'has room'])
  first.room?.giveBack()
  first.room?.giveBack()
  await settled()
  expect(second.state).toBe('has room')
})

test('a door leaves room for the others', async () => {
  const { ask, logbook } = open()
  const bodies = ['a', 'b', 'c', 'd'].map(owner => ask(owner, 8))
  const entries = ask('t', 8, logbook)
  await settled()
  expect(bodies.map(({ state }) => state)).toEqual(['has room', 'has room', 'waits', 'waits'])
  expect(entries.state).toBe('has room')
})

// Without the shares that large bodies leave free, the small ones would wait here.
test('small bodies and those of a megabyte pass waiting large ones', async () => {
  const { ask } = open()
  for (const owner of ['a', 'b', 'c', 'd']) ask(owner, 9)
  const small = Array.from({ length: 40 }, (_, index) => ask(`s${index % 20}`, 1 / 16))
  const medium = ask('m', 1)
  await settled()
  expect(small.every(({ state }) => state === 'has room')).toBe(true)
  expect(medium.state).toBe('has room')
})

test('smaller ones that keep coming do not starve a large one that waits', async () => {
  const { ask } = open({ waiting: 100 })
  const first = Array.from({ length: 30 }, (_, index) => ask(`m${index}`, 1))
  const large = ask('a', 10)
  await settled()
  expect(large.state).toBe('waits')
  for (const body of first) {
    body.room?.giveBack()
    ask(`n${first.indexOf(body)}`, 1)
    await settled()
  }
  expect(large.state).toBe('has room')
})

// With one queue for all, b waits behind all of a here.
test('keys take turns, no matter how many bodies one of them has in the queue', async () => {
  const { ask } = open({ key: 100 * mebibyte, door: 16 * mebibyte })
  const running = ask('x', 10)
  const [a1, a2, a3] = [ask('a', 10), ask('a', 10), ask('a', 10)]
  const b = ask('b', 10)
  const order: string[] = []
  for (const [name, asked] of Object.entries({ a1, b, a2, a3 })) {
    await settled()
    running.room?.giveBack()
    await settled()
    for (const [each, { room }] of Object.entries({ a1, a2, a3, b })) {
      if (room !== null && !order.includes(each)) order.push(each)
    }
    expect(order.at(-1)).toBe(name)
    asked.room?.giveBack()
  }
})

test('a full queue is 429 for a key and 503 for the process, where the longest queue gives way; both say when to retry', async () => {
  const { ask, refusals } = open({ waitingPerKey: 2, waiting: 3 })
  const own = Array.from({ length: 4 }, () => ask('a', 10))
  const others = ['b', 'c', 'd', 'e', 'f'].map(owner => ask(owner, 10))
  await settled()
  expect(own.map(({ state }) => state)).toEqual([
    'has room',
    'waits',
    'unavailable 2',
    'body_bytes_exceeded 2',
  ])
  expect(others.map(({ state }) => state)).toEqual([
    'has room',
    'waits',
    'waits',
    'unavailable 2',
    'unavailable 2',
  ])
  expect(refusals).toEqual(['gateway key', 'gateway process', 'gateway door', 'gateway door'])
})

test('when the queue is full, the owner with the most in it gives way to one with nothing there', async () => {
  const { ask } = open({ waitingPerKey: 8, waiting: 4 })
  const own = Array.from({ length: 5 }, () => ask('a', 10))
  ask('b', 10)
  const newcomer = ask('c', 10)
  await settled()
  expect(newcomer.state).toBe('waits')
  expect(own.map(({ state }) => state)).toEqual(['has room', 'waits', 'waits', 'waits', 'unavailable 2'])
})

test('a body that waits too long is refused, one that leaves is forgotten, and neither keeps room or place', async () => {
  const { ask, gateway, passTime } = open()
  const first = ask('a', 10)
  const late = ask('a', 10)
  await settled()
  passTime()
  await settled()
  expect(late.state).toBe('body_bytes_exceeded 2')
  const client = new AbortController()
  const gone = ask('a', 10, gateway, client.signal)
  client.abort()
  await settled()
  expect(gone.state).toBe('invalid_request')
  expect(gateway.waiting()).toBe(0)
  first.room?.giveBack()
  expect(gateway.bytesInFlight()).toBe(0)
})

test('unneeded room of a body is returned, and a body larger than its share passes alone', async () => {
  const { ask, gateway } = open()
  const huge = ask('a', 20)
  const next = ask('a', 3)
  await settled()
  expect([huge.state, next.state]).toEqual(['has room', 'waits'])
  huge.room?.shrinkTo(mebibyte)
  await settled()
  expect(next.state).toBe('has room')
  huge.room?.giveBack()
  next.room?.giveBack()
  expect(gateway.bytesInFlight()).toBe(0)
})

/** Random bodies come, end, wait in vain and leave: the bounds hold at every moment, and nothing is left at the end. */
test('for any sequence, no pool exceeds its size, and everything is returned', async () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  const { ask, gateway, logbook, passTime } = open()
  const asked: ReturnType<typeof ask>[] = []
  for (let step = 0; step < 3000; step += 1) {
    const kind = random(10)
    const door = random(3) === 0 ? logbook : gateway
    if (kind < 5) asked.push(ask(`k${random(6)}`, [1 / 64, 1 / 16, 1 / 2, 1, 3, 9][random(6)] ?? 1, door))
    else if (kind < 9) asked[random(Math.max(1, asked.length))]?.room?.giveBack()
    else if (random(40) === 0) passTime()
    await Promise.resolve()
    expect(gateway.bytesInFlight()).toBeLessThanOrEqual(32 * mebibyte)
    expect(gateway.bytesInFlight() + logbook.bytesInFlight()).toBeLessThanOrEqual(48 * mebibyte)
    expect(gateway.waiting() + logbook.waiting()).toBeLessThanOrEqual(8)
  }
  for (let round = 0; round < 20; round += 1) {
    await settled()
    for (const { room } of asked) room?.giveBack()
  }
  expect([gateway.bytesInFlight(), logbook.bytesInFlight(), gateway.waiting(), logbook.waiting()]).toEqual([
    0, 0, 0, 0,
  ])
  expect(asked.every(({ state }) => state !== 'waits')).toBe(true)
})
