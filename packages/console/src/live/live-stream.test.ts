// The single connection of a page: it subscribes to the topics in use, reports when it is stale, and reconnects.
import { beforeEach, expect, test } from 'bun:test'
import { type EventConnection, LiveStream } from './live-stream.ts'

type Fake = EventConnection & {
  readonly address: string
  readonly report: (name: string, data: unknown) => void
  isClosed: boolean
}

let now = 0
let timers: { readonly at: number; readonly run: () => void }[] = []
let connections: Fake[] = []
let missed = 0

const pass = (milliseconds: number) => {
  now += milliseconds
  for (const timer of timers.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at)) {
    if (!timers.includes(timer)) continue
    timers = timers.filter(each => each !== timer)
    timer.run()
  }
}

const connect = (address: string): Fake => {
  const listeners = new Map<string, ((event: { readonly data: string }) => void)[]>()
  const made: Fake = {
    address,
    isClosed: false,
    addEventListener: (name, listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]),
    close: () => {
      made.isClosed = true
    },
    report: (name, data) => {
      for (const listener of listeners.get(name) ?? []) listener({ data: JSON.stringify(data) })
    },
  }
  connections.push(made)
  return made
}

const begin = () =>
  new LiveStream({
    connect,
    addressOf: topics => `/stream?topics=${topics.join()}`,
    now: () => now,
    after: (milliseconds, run) => {
      const timer = { at: now + milliseconds, run }
      timers.push(timer)
      return () => {
        timers = timers.filter(each => each !== timer)
      }
    },
    onMissed: () => {
      missed += 1
    },
  })

const newest = (): Fake => connections.at(-1) as Fake

beforeEach(() => {
  now = 0
  timers = []
  connections = []
  missed = 0
})

test('topics subscribed together share one connection', () => {
  const stream = begin()
  const reported: unknown[] = []
  stream.listen('teams', data => reported.push(data))
  stream.listen('event', () => undefined)
  pass(50)
  expect(connections.map(({ address }) => address)).toEqual(['/stream?topics=event,teams'])
  newest().report('teams', { items: [] })
  expect(reported).toEqual([{ items: [] }])
  expect(stream.state().kind).toBe('live')
})

test('changing the topics opens a new connection; the same topics do not', () => {
  const stream = begin()
  const stop = stream.listen('teams', () => undefined)
  pass(50)
  stream.listen('teams', () => undefined)
  stop()
  pass(50)
  expect(connections).toHaveLength(1)
  stream.listen('stats', () => undefined)
  pass(50)
  expect(connections.map(({ isClosed }) => isClosed)).toEqual([true, false])
})

test('ten seconds of silence mean stale; a heartbeat ends that and sets the clock', () => {
  const stream = begin()
  stream.listen('teams', () => undefined)
  pass(50)
  newest().report('beat', { now: new Date(5000).toISOString(), stale: [] })
  expect([stream.state().kind, stream.serverNow()]).toEqual(['live', 5000])
  pass(10_000)
  expect(stream.state().kind).toBe('stale')
  newest().report('beat', { now: new Date(20_000).toISOString(), stale: ['teams'] })
  expect(stream.state()).toMatchObject({ kind: 'live', staleTopics: ['teams'] })
})

test('a lost connection is reopened with growing delays, and missed data is read again', () => {
  const stream = begin()
  stream.listen('teams', () => undefined)
  pass(50)
  newest().report('beat', { now: new Date(0).toISOString(), stale: [] })
  newest().report('error', null)
  expect(stream.state().kind).toBe('connecting')
  pass(2999)
  expect(connections).toHaveLength(1)
  pass(1)
  expect([connections.length, missed]).toEqual([2, 1])
  newest().report('error', null)
  pass(3000)
  expect(connections).toHaveLength(2)
  pass(1500)
  expect(connections).toHaveLength(3)
})

test('failed attempts do not delay the stale mark, and a reader can reconnect at once', () => {
  const stream = begin()
  stream.listen('teams', () => undefined)
  pass(50)
  newest().report('beat', { now: new Date(50).toISOString(), stale: [] })
  newest().report('error', null)
  pass(3000)
  newest().report('error', null)
  pass(4500)
  newest().report('error', null)
  pass(2499)
  expect(stream.state().kind).toBe('connecting')
  pass(1)
  expect(stream.state().kind).toBe('stale')
  const tries = connections.length
  stream.retry()
  expect([connections.length, stream.state().kind]).toEqual([tries + 1, 'stale'])
  newest().report('beat', { now: new Date(10_050).toISOString(), stale: [] })
  expect(stream.state().kind).toBe('live')
})

test('a hidden page has no connection and reads again once it is visible', () => {
  const stream = begin()
  stream.listen('teams', () => undefined)
  pass(50)
  stream.sleep()
  expect([newest().isClosed, stream.state().kind]).toEqual([true, 'off'])
  stream.wake()
  expect([connections.length, missed]).toEqual([2, 1])
})
