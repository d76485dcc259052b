// Rows that a journal wrote restore exactly the same windows, in every order of writes and for every change of the clock.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createMemoryLimits } from '../memory/create-memory-limits.ts'
import type { Hold } from '../port.ts'
import { buildKey, buildModel, buildRequest, buildTeam } from '../testing/build-parties.ts'
import { createStoredRows } from '../testing/create-stored-rows.ts'
import { lookAt } from '../testing/look-at.ts'
import { createWindowJournal } from './create-window-journal.ts'
import { replayRows } from './replay-rows.ts'

const start = 1_700_000_000_123
const limit = 40
const byModel = new Map([['model-1', limit]])
const tokens = new Map([['model-1', 4000]])
const team = buildTeam({ rpmLimit: limit, tpmLimit: 4000, modelRpmLimit: byModel, modelTpmLimit: tokens })
const key = buildKey({ rpmLimit: limit, tpmLimit: 4000, modelRpmLimit: byModel, modelTpmLimit: tokens })
const model = buildModel({ rpmLimit: limit, tpmLimit: 4000 })
const narrow = buildModel({ id: 'model-2', rpmLimit: 7 })

/** Limits, and the rows that a ledger writer would have put on disk for them. */
function setUp() {
  const time = { now: start, ahead: 0 }
  const limits = createMemoryLimits({ clock: () => time.now })
  const journal = createWindowJournal({
    gather: limits.gatherWindows,
    clock: () => time.now,
    wallClock: () => time.now + time.ahead,
    lastSequence: 0,
  })
  const stored = createStoredRows()
  return { time, limits, stored, write: (scope: 'commit' | 'second') => stored.write(journal(scope)) }
}

const recall = (rows: Parameters<typeof replayRows>[0], clock: () => number) => {
  const limits = createMemoryLimits({ clock })
  limits.restoreWindows(replayRows(rows, clock()).windows)
  return limits
}

const step = fc.record({
  wait: fc.oneof(fc.constant(0), fc.nat(1500), fc.nat(20_000), fc.constantFrom(59_999, 60_000)),
  kind: fc.constantFrom('call', 'call', 'other', 'settle', 'exceed', 'commit', 'second', 'fail'),
  size: fc.nat(300),
})

// Shown to fail by leaving out `changedAt = changes` at a settlement (ledger/token-window.ts), by rows of commits that a second's row
// does not replace, by rows that the next process does not replace, and by marks that are set although a write failed.
test('after the last write, every window of every level is unchanged and continues as it would have', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.array(step, { maxLength: 20 }), (before, after) => {
      const { time, limits, stored, write } = setUp()
      const running: Hold[] = []
      const play = (
        on: typeof limits,
        holds: Hold[],
        { kind, size }: (typeof before)[number],
        id: string,
      ) => {
        const asked = { callId: id, team, key, tokens: { input: size, output: size } }
        if (kind === 'call' || kind === 'other') {
          const decision = on.admit(buildRequest({ ...asked, model: kind === 'call' ? model : narrow }))
          if (decision.admitted) holds.push(decision.hold)
          return decision
        }
        const hold = holds[0]
        if (hold === undefined) return null
        if (kind === 'exceed') on.exceed(hold, size * 3)
        if (kind === 'settle') on.settle(hold, { cost: hold.amount, tokens: size * 3 })
        if (kind === 'settle') holds.shift()
        return null
      }
      for (const [index, each] of before.entries()) {
        time.now += each.wait
        play(limits, running, each, `before ${index}`)
        if (each.kind === 'commit' || each.kind === 'second') write(each.kind)
        if (each.kind === 'fail') limits.gatherWindows('second')?.failed()
      }
      write(before.length % 2 === 0 ? 'commit' : 'second')
      // A process that ends after its first row, and one that goes on.
      const between = recall(stored.rows(), () => time.now)
      const lastSequence = stored.rows().at(-1)?.sequence ?? 0
      const clock = () => time.now
      stored.write(
        createWindowJournal({ gather: between.gatherWindows, clock, wallClock: clock, lastSequence })(
          'commit',
        ),
      )
      const again = recall(stored.rows(), clock)
      const look = (of: typeof limits) => [
        lookAt(of, team, key, model).rates,
        lookAt(of, team, key, narrow).rates,
        lookAt(of, team, key).rates,
      ]
      expect(look(again)).toEqual(look(limits))
      const [left, right]: [Hold[], Hold[]] = [[], []]
      for (const [index, each] of after.entries()) {
        time.now += each.wait
        const expected = play(limits, left, each, `after ${index}`)
        expect(play(again, right, each, `after ${index}`)).toEqual(expected)
        expect(look(again)).toEqual(look(limits))
      }
    }),
    { numRuns: 300 },
  )
})

test('about one row is kept for each second of the last minute, for any number of commits', () => {
  const { time, limits, stored, write } = setUp()
  for (let second = 0; second < 130; second += 1) {
    for (let commit = 0; commit < 20; commit += 1) {
      time.now += 50
      limits.admit(buildRequest({ team, key: buildKey(), tokens: { input: 1, output: 1 } }))
      write('commit')
    }
    write('second')
  }
  expect(stored.rows().length).toBeLessThanOrEqual(61)
  time.now += 120_000
  write('second')
  expect(stored.rows()).toHaveLength(1)
})

test('a hundred thousand requests of one window take a few kilobytes a second', () => {
  const { time, limits, stored, write } = setUp()
  const wide = buildTeam({ rpmLimit: 100_000 })
  for (let call = 0; call < 100_000; call += 1) {
    if (call % 5 < 3) time.now += 1
    limits.release(
      (limits.admit(buildRequest({ team: wide, callId: `${call}` })) as { readonly hold: Hold }).hold,
    )
    if (call % 1667 === 0) write('second')
  }
  write('second')
  const rows = stored.rows()
  expect(Math.max(...rows.map(({ changes }) => changes.length))).toBeLessThan(5000)
  const again = recall(rows, () => time.now)
  const counted = lookAt(again, wide, buildKey()).rates.requests
  expect(counted).toEqual(lookAt(limits, wide, buildKey()).rates.requests)
  expect(counted?.remaining).toBeLessThan(2000)
  const whole = again.gatherWindows('commit')
  expect(JSON.stringify(whole?.windows.map(({ times }) => times.length))).toBe(
    `[${100_000 - (counted?.remaining ?? 0)}]`,
  )
})

test('a clock corrected while the process ran changes no ages', () => {
  const { time, limits, stored, write } = setUp()
  const few = buildTeam({ rpmLimit: 1 })
  limits.admit(buildRequest({ team: few }))
  time.now += 10_000
  // The time of day was set ahead by an hour; the next process begins with it.
  time.ahead = 3_600_000
  write('commit')
  const next = { now: time.now + time.ahead + 5000 }
  const again = recall(stored.rows(), () => next.now)
  expect(again.admit(buildRequest({ team: few }))).toMatchObject({ refusal: { retryAfterSeconds: 45 } })
  next.now += 44_999
  expect(again.admit(buildRequest({ team: few })).admitted).toBe(false)
  next.now += 1
  expect(again.admit(buildRequest({ team: few })).admitted).toBe(true)
})

test('a clock set back while no process ran: no time has passed, and none is added', () => {
  const { time, limits, stored, write } = setUp()
  const few = buildTeam({ rpmLimit: 1 })
  limits.admit(buildRequest({ team: few }))
  time.now += 10_000
  limits.admit(buildRequest({ team: buildTeam({ teamId: 'other', rpmLimit: 1 }) }))
  write('commit')
  const again = recall(stored.rows(), () => time.now - 86_400_000)
  expect(again.admit(buildRequest({ team: few }))).toMatchObject({ refusal: { retryAfterSeconds: 50 } })
})

test.each([
  'nothing',
  '{}',
  '[["team","red",null,[1]]]',
  '[["team",null,null,[1],[]]]',
  '[["key_model","k",null,[1],[]]]',
  '[["group","red",null,[1],[]]]',
  '[["team","red",null,[-1],[]]]',
  '[["team","red",null,[1.5],[]]]',
  '[["team","red",null,[1],[5]]]',
  '[["team","red",null,"1",[]]]',
])('a row of %s is skipped and counted, and its neighbours are used', changes => {
  const at = { writtenAt: start, wallAt: start }
  const whole = { ...at, changes: '[["team","red",null,[5,0],[3,70]]]' }
  expect(replayRows([{ ...at, changes }, whole], start + 100)).toEqual({
    windows: [
      {
        name: { level: 'team', owner: 'red', model: null },
        times: [start - 5, start],
        seconds: [{ latest: start - 3, tokens: 70 }],
      },
    ],
    damaged: 1,
  })
})
