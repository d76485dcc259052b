// The coverage share, its upper bound, and the figures next to it.
import { expect, test } from 'bun:test'
import { sumCoverage } from './sum-coverage.ts'
import { buildCall, buildEntry, day, judge, logEntries, minute, noon } from './testing/build-work.ts'

const range = { from: 0, until: noon + day }
const entries = [
  buildEntry({ tool: 'claude', sessionId: 's1', at: noon - minute }),
  buildEntry({ tool: 'claude', sessionId: 's1', at: noon + minute }),
  buildEntry({ tool: 'cursor', sessionId: 's2' }),
]
const calls = (count: number, changes: Parameters<typeof buildCall>[1], prefix = 'c') =>
  Array.from({ length: count }, (_, index) => buildCall(`${prefix}${index}`, { tool: 'claude', ...changes }))
const sum = (list: Parameters<typeof judge>[0]) =>
  sumCoverage(judge(list, entries), logEntries(entries).read().sessions, range)

test('covered, probable and unexplained spend make the whole; the rest is shown next to it', () => {
  const result = sum([
    ...calls(15, { sessionId: 's1' }),
    ...calls(3, {}, 'p'),
    ...calls(2, { sessionId: 'lost', receivedAt: noon + minute }, 'u'),
    ...calls(4, { tool: null, cost: 5 }, 'a'),
    ...calls(2, { receivedAt: noon - day }, 'b'),
  ])
  expect(result).toMatchObject({
    coverage: 0.75,
    upTo: 0.9,
    judged: { calls: 20, cost: 200_000_000 },
    classes: {
      session: { calls: 15, cost: 150_000_000 },
      probable: { calls: 3, cost: 30_000_000 },
      unexplained: { calls: 2, cost: 20_000_000 },
      before_setup: { calls: 2, cost: 20_000_000 },
      app: { calls: 4, cost: 20 },
      side: { calls: 0, cost: 0 },
    },
    unexplainedBy: { session_without_entries: { calls: 2, cost: 20_000_000 } },
    sessions: 2,
    loggedOnly: { sessions: 1, entries: 1 },
  })
  expect(result.missing).toEqual([
    {
      id: 'lost',
      tool: 'claude',
      class: 'unexplained',
      calls: 2,
      cost: 20_000_000,
      firstAt: noon + minute,
      lastAt: noon + minute + 5000,
    },
  ])
})

test('no share for too few calls or too little spend', () => {
  expect(sum(calls(19, { sessionId: 's1' })).coverage).toBeNull()
  expect(sum(calls(20, { sessionId: 's1' })).coverage).toBe(1)
  expect(sum(calls(20, { sessionId: 's1', cost: 2_499_999 })).coverage).toBeNull()
  expect(sum(calls(20, { sessionId: 's1', cost: 2_500_000 })).coverage).toBe(1)
  expect(sum([]).coverage).toBeNull()
})

test('1 means everything', () => {
  const list = [...calls(30, { sessionId: 's1' }), ...calls(1, { sessionId: 'lost', cost: 1 }, 'u')]
  expect(sum(list).coverage).toBe(0.9999)
})
