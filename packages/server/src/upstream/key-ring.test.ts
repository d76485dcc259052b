// Keys are taken in turn; what a key has made is asked for with the same key; one that is turned down rests, and comes back by a trial.
import { describe, expect, test } from 'bun:test'
import { type KeyFailure, type KeyNews, KeyRing, type UpstreamKey } from './key-ring.ts'

function setUp(secrets: readonly string[] = ['key-of-ring-one', 'key-of-ring-two']) {
  const news: KeyNews[] = []
  let now = 1_000_000
  const ring = new KeyRing(secrets, { clock: () => now, random: () => 0, report: told => news.push(told) })
  const fail = (key: UpstreamKey, fault: KeyFailure['fault'], askedDelayMs: number | null = null) =>
    ring.noteFailure(key, { fault, askedDelayMs, cause: null }, ring.epoch)
  const take = (count: number) => Array.from({ length: count }, () => ring.next().secret.slice(-3))
  const rests = () => ring.describe().map(({ restMs }) => restMs)
  return { ring, news, fail, take, rests, pass: (ms: number) => (now += ms) }
}

test('keys are taken in turn', () => {
  expect(setUp().take(3)).toEqual(['one', 'two', 'one'])
})

test('a key is found by its id, whatever its place, and not when it is gone', () => {
  const { id } = setUp(['one', 'two']).ring.next()
  expect(setUp(['two', 'one']).ring.find(id)?.secret).toBe('one')
  expect(setUp(['two']).ring.find(id)).toBeUndefined()
  expect(id).not.toContain('one')
})

test('no key is an error; a key that is given twice counts once', () => {
  expect(() => setUp([])).toThrow('No upstream key')
  expect(setUp(['one', 'one']).ring.size).toBe(1)
})

describe('rest', () => {
  test('a refused key rests for 5 s, doubling to 10 min; the trials between are by one call each', () => {
    const { ring, fail, take, pass, news } = setUp()
    fail(ring.next(), 'refused')
    const pauses: number[] = []
    for (let trial = 0; trial < 9; trial += 1) {
      const pause = ring.describe()[0]?.restMs ?? 0
      pauses.push(pause / 1000)
      pass(pause - 1)
      expect(take(3)).toEqual(['two', 'two', 'two'])
      pass(1)
      const tried = [ring.next(), ring.next(), ring.next()].filter(({ secret }) => secret.endsWith('one'))
      expect(tried).toHaveLength(1)
      for (const key of tried) fail(key, 'refused')
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600])
    expect(news).toHaveLength(1)
  })

  test('a spent quota a minute, a busy key a second, or for as long as the upstream asks, but not above 10 min', () => {
    const rest = (...how: [KeyFailure['fault'], (number | null)?]) => {
      const { ring, fail, rests } = setUp()
      fail(ring.next(), ...how)
      return (rests()[0] ?? 0) / 1000
    }
    expect([rest('exhausted'), rest('busy')]).toEqual([60, 1])
    expect([rest('exhausted', 31_000), rest('busy', 31_000), rest('busy', 100)]).toEqual([60, 31, 0.1])
    expect([rest('exhausted', 36_000_000), rest('busy', Number.POSITIVE_INFINITY)]).toEqual([600, 600])
  })

  test('pauses are spread, up to a quarter longer', () => {
    const ring = new KeyRing(['one', 'two'], { clock: () => 0, random: () => 0.999_999 })
    ring.noteFailure(ring.next(), { fault: 'refused', askedDelayMs: null, cause: null }, ring.epoch)
    expect(ring.describe()[0]?.restMs).toBeCloseTo(6250, 0)
  })

  test('calls that fail together are one failure; news of before it do not end the rest', () => {
    const { ring, news, rests } = setUp()
    const key = ring.next()
    const epoch = ring.epoch
    for (let call = 0; call < 40; call += 1)
      ring.noteFailure(key, { fault: 'refused', askedDelayMs: null, cause: 'No.' }, epoch)
    ring.noteSuccess(key, epoch)
    expect(rests()).toEqual([5000, null])
    expect(news).toMatchObject([{ state: 'resting', cause: 'No.', key: '…-one', restMs: 5000 }])
  })

  test('a success ends it, is told once, and the next pause is the first again', () => {
    const { ring, fail, pass, rests, news } = setUp()
    fail(ring.next(), 'refused')
    pass(5000)
    ring.next()
    const trial = ring.next()
    ring.noteSuccess(trial, ring.epoch)
    ring.noteSuccess(trial, ring.epoch)
    expect(rests()).toEqual([null, null])
    fail(trial, 'refused')
    expect(rests()).toEqual([5000, null])
    expect(news.map(({ state }) => state)).toEqual(['resting', 'back', 'resting'])
    expect(news[1]).toMatchObject({ restedMs: 5000 })
  })

  test('another cause on trial is news', () => {
    const { ring, fail, pass, news } = setUp(['key-of-ring-one'])
    fail(ring.next(), 'busy')
    pass(1000)
    fail(ring.next(), 'refused')
    expect(news.map(({ fault }) => fault)).toEqual(['busy', 'refused'])
  })
})

describe('when all rest', () => {
  test('the one whose rest ends first is tried, and a refused one only when all are', () => {
    const { ring, fail, take } = setUp()
    expect(ring.hasReady()).toBe(true)
    fail(ring.next(), 'refused')
    fail(ring.next(), 'busy', 31_000)
    expect(ring.hasReady()).toBe(false)
    expect(take(3)).toEqual(['two', 'two', 'two'])
    const refused = setUp()
    refused.fail(refused.ring.next(), 'refused')
    refused.pass(1000)
    refused.fail(refused.ring.next(), 'refused')
    expect(refused.take(2)).toEqual(['one', 'one'])
  })

  test('such tries neither lengthen a pause nor end that of a quota, which may be of another model; a refused key that serves is back', () => {
    const { ring, fail, rests } = setUp(['key-of-ring-one'])
    fail(ring.next(), 'busy', 31_000)
    fail(ring.next(), 'busy', 99_000)
    ring.noteSuccess(ring.next(), ring.epoch)
    expect(rests()).toEqual([31_000])
    const refused = setUp(['key-of-ring-one'])
    refused.fail(refused.ring.next(), 'refused')
    refused.ring.noteSuccess(refused.ring.next(), refused.ring.epoch)
    expect(refused.rests()).toEqual([null])
  })
})

test('other keys in place of these: one that stays goes on resting, what a removed one did is no news', () => {
  const { ring, fail, take, rests, news } = setUp()
  const gone = ring.next()
  fail(ring.next(), 'refused')
  expect(ring.replace(['key-of-ring-two', 'key-of-ring-new'])).toEqual({
    added: ['…-new'],
    removed: ['…-one'],
  })
  expect(take(2)).toEqual(['new', 'new'])
  fail(gone, 'refused')
  expect([rests(), news.length]).toEqual([[5000, null], 1])
  expect(() => ring.replace([])).toThrow('No upstream key')
  expect(ring.size).toBe(2)
})
