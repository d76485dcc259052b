// Keys are used in turn; things made by a key are requested with the same key; a rejected one rests, and comes back by a trial.
import { describe, expect, test } from 'bun:test'
import { type Asker, type KeyFailure, type KeyNews, KeyRing, type UpstreamKey } from './key-ring.ts'

function setUp(secrets: readonly string[] = ['key-of-ring-one', 'key-of-ring-two']) {
  const news: KeyNews[] = []
  let now = 1_000_000
  const ring = new KeyRing(secrets, {
    clock: () => now,
    random: () => 0,
    report: reported => news.push(reported),
  })
  const fail = (
    key: UpstreamKey,
    fault: KeyFailure['fault'],
    askedDelayMs: number | null = null,
    team: Asker = null,
  ) => ring.noteFailure(key, { fault, askedDelayMs, cause: null, isKeyInvalid: false }, ring.epoch, team)
  const take = (count: number, team: Asker = null) =>
    Array.from({ length: count }, () => ring.next(team).secret.slice(-3))
  const rests = () => ring.describe().map(({ restMs }) => restMs)
  return { ring, news, fail, take, rests, pass: (ms: number) => (now += ms) }
}

test('keys are used in turn', () => {
  expect(setUp().take(3)).toEqual(['one', 'two', 'one'])
})

test('a key is found by its id in any place, but not once it is removed', () => {
  const { id } = setUp(['one', 'two']).ring.next(null)
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
    fail(ring.next(null), 'refused')
    const pauses: number[] = []
    for (let trial = 0; trial < 9; trial += 1) {
      const pause = ring.describe()[0]?.restMs ?? 0
      pauses.push(pause / 1000)
      pass(pause - 1)
      expect(take(3)).toEqual(['two', 'two', 'two'])
      pass(1)
      const tried = [ring.next(null), ring.next(null), ring.next(null)].filter(({ secret }) =>
        secret.endsWith('one'),
      )
      expect(tried).toHaveLength(1)
      for (const key of tried) fail(key, 'refused')
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600])
    expect(news).toHaveLength(1)
  })

  test('a spent quota a minute, a busy key a second, or for as long as the upstream asks, but not above 10 min', () => {
    const rest = (...how: [KeyFailure['fault'], (number | null)?]) => {
      const { ring, fail, rests } = setUp()
      fail(ring.next(null), ...how)
      return (rests()[0] ?? 0) / 1000
    }
    expect([rest('exhausted'), rest('busy')]).toEqual([60, 1])
    expect([rest('exhausted', 31_000), rest('busy', 31_000), rest('busy', 100)]).toEqual([60, 31, 0.1])
    expect([rest('exhausted', 36_000_000), rest('busy', Number.POSITIVE_INFINITY)]).toEqual([600, 600])
  })

  test('pauses are spread, up to a quarter longer', () => {
    const ring = new KeyRing(['one', 'two'], { clock: () => 0, random: () => 0.999_999 })
    ring.noteFailure(
      ring.next(null),
      { fault: 'refused', askedDelayMs: null, cause: null, isKeyInvalid: false },
      ring.epoch,
      null,
    )
    expect(ring.describe()[0]?.restMs).toBeCloseTo(6250, 0)
  })

  test('concurrent failures count once; results of earlier calls do not end the rest', () => {
    const { ring, news, rests } = setUp()
    const key = ring.next(null)
    const epoch = ring.epoch
    for (let call = 0; call < 40; call += 1)
      ring.noteFailure(
        key,
        { fault: 'refused', askedDelayMs: null, cause: 'No.', isKeyInvalid: false },
        epoch,
        null,
      )
    ring.noteSuccess(key, epoch, null)
    expect(rests()).toEqual([5000, null])
    expect(news).toMatchObject([{ state: 'resting', cause: 'No.', key: '…-one', restMs: 5000 }])
  })

  test('a success ends it, is reported once, and the next pause is the first again', () => {
    const { ring, fail, pass, rests, news } = setUp()
    fail(ring.next(null), 'refused')
    pass(5000)
    ring.next(null)
    const trial = ring.next(null)
    ring.noteSuccess(trial, ring.epoch, null)
    ring.noteSuccess(trial, ring.epoch, null)
    expect(rests()).toEqual([null, null])
    fail(trial, 'refused')
    expect(rests()).toEqual([5000, null])
    expect(news.map(({ state }) => state)).toEqual(['resting', 'back', 'resting'])
    expect(news[1]).toMatchObject({ restedMs: 5000 })
  })

  test('a different cause on trial is reported', () => {
    const { ring, fail, pass, news } = setUp(['key-of-ring-one'])
    fail(ring.next(null), 'busy')
    pass(1000)
    fail(ring.next(null), 'refused')
    expect(news.map(({ fault }) => fault)).toEqual(['busy', 'refused'])
  })
})

describe('when all keys rest', () => {
  test('the key whose rest ends first is tried, and a refused one only if all are refused', () => {
    const { ring, fail, take } = setUp()
    expect(ring.hasReady(null)).toBe(true)
    fail(ring.next(null), 'refused')
    fail(ring.next(null), 'busy', 31_000)
    expect(ring.hasReady(null)).toBe(false)
    expect(take(3)).toEqual(['two', 'two', 'two'])
    const refused = setUp()
    refused.fail(refused.ring.next(null), 'refused')
    refused.pass(1000)
    refused.fail(refused.ring.next(null), 'refused')
    expect(refused.take(2)).toEqual(['one', 'one'])
  })

  test('such attempts neither lengthen a pause nor end one for a quota, which may be of another model; a refused key that works is back', () => {
    const { ring, fail, rests } = setUp(['key-of-ring-one'])
    fail(ring.next(null), 'busy', 31_000)
    fail(ring.next(null), 'busy', 99_000)
    ring.noteSuccess(ring.next(null), ring.epoch, null)
    expect(rests()).toEqual([31_000])
    const refused = setUp(['key-of-ring-one'])
    refused.fail(refused.ring.next(null), 'refused')
    refused.ring.noteSuccess(refused.ring.next(null), refused.ring.epoch, null)
    expect(refused.rests()).toEqual([null])
  })
})

describe('per team', () => {
  const meet = (
    { ring, fail }: ReturnType<typeof setUp>,
    team: string,
    fault: KeyFailure['fault'] = 'busy',
  ) => fail(ring.next(team), fault, null, team)

  test('a team that is rejected with every key, again and again, takes none of them from another', () => {
    const set = setUp()
    for (let round = 0; round < 50; round += 1) {
      for (const fault of ['busy', 'exhausted', 'refused'] as const) meet(set, 'liar', fault)
      expect(set.ring.hasReady('honest')).toBe(true)
      expect(set.take(2, 'honest').sort()).toEqual(['one', 'two'])
      set.pass(700_000)
    }
    expect(set.rests()).toEqual([null, null])
    expect(set.news.filter(({ team }) => team !== 'liar')).toEqual([])
  })

  test('a team that is rejected uses the other keys meanwhile, and has its own trial', () => {
    const set = setUp()
    meet(set, 'red')
    expect([set.take(2, 'red'), set.take(2, 'blue')]).toEqual([
      ['two', 'two'],
      ['one', 'two'],
    ])
    set.pass(1000)
    expect(set.take(3, 'red')).toEqual(['one', 'two', 'two'])
    for (const key of [set.ring.next('blue'), set.ring.next('blue')])
      set.ring.noteSuccess(key, set.ring.epoch, 'red')
    expect(set.take(2, 'red')).toEqual(['one', 'two'])
    expect(set.news.map(({ state, team }) => [state, team])).toEqual([
      ['resting', 'red'],
      ['back', 'red'],
    ])
  })

  test('a second rejected team makes the key rest for all, until the shorter wait is over', () => {
    const set = setUp(['key-of-ring-one'])
    meet(set, 'liar', 'exhausted')
    meet(set, 'blue', 'busy')
    expect(set.rests()).toEqual([1000])
    expect(set.ring.hasReady('green')).toBe(false)
    expect(set.news.map(({ fault, team }) => [fault, team])).toEqual([
      ['exhausted', 'liar'],
      ['busy', null],
    ])
  })

  test('a second team that is rejected later counts as the first again', () => {
    const set = setUp(['key-of-ring-one'])
    meet(set, 'red')
    set.pass(1000)
    meet(set, 'blue')
    expect(set.rests()).toEqual([null])
  })

  test('a key that is out rests longer each time two teams have tried it', () => {
    const set = setUp()
    meet(set, 'red', 'refused')
    set.take(1)
    meet(set, 'blue', 'refused')
    const pauses: (number | null | undefined)[] = []
    for (const [first, second] of [
      ['green', 'red'],
      ['blue', 'green'],
    ] as const) {
      pauses.push(set.rests()[0])
      set.pass(set.rests()[0] ?? 0)
      for (const team of [first, second]) {
        const tried = [set.ring.next(team), set.ring.next(team)]
        for (const key of tried) if (key.secret.endsWith('one')) set.fail(key, 'refused', null, team)
      }
    }
    expect([...pauses, set.rests()[0]]).toEqual([5000, 10_000, 20_000])
  })

  test('a team that fails its trial, or never ends it, does not keep the key from others', () => {
    for (const isEnded of [true, false]) {
      const set = setUp(['key-of-ring-one'])
      meet(set, 'liar')
      meet(set, 'blue')
      set.pass(1000)
      const key = set.ring.next('liar')
      if (isEnded) set.fail(key, 'busy', 600_000, 'liar')
      else set.pass(5000)
      expect([set.ring.hasReady('liar'), set.ring.hasReady('green')]).toEqual([false, true])
      set.ring.noteSuccess(set.ring.next('green'), set.ring.epoch, 'green')
      expect(set.rests()).toEqual([null])
    }
  })

  test('a key that the upstream calls invalid rests for all teams at once', () => {
    const { ring, rests } = setUp()
    const failure = { fault: 'refused', askedDelayMs: null, cause: null, isKeyInvalid: true } as const
    ring.noteFailure(ring.next('red'), failure, ring.epoch, 'red')
    expect(rests()).toEqual([5000, null])
  })
})

test('replaced keys: one that stays continues to rest, and results of a removed one do not count', () => {
  const { ring, fail, take, rests, news } = setUp()
  const gone = ring.next(null)
  fail(ring.next(null), 'refused')
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
