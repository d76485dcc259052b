// Cached shares of spend that logs cover, for lists: the team that needs it most first, and nothing while no one watches.
import { expect, test } from 'bun:test'
import type { TeamCoverage } from './coverage-reader.ts'
import { KeptCoverage, type WatchedTeam } from './kept-coverage.ts'
import { SessionBook } from './session-book.ts'

const none = { calls: 0, cost: 0 }
const team = (teamId: string, calls = 1, entries = 1): WatchedTeam => ({ teamId, calls, entries })

/** `shares`: covered and judged nano-dollars by team. */
function open(shares: Readonly<Record<string, readonly [covered: number, judged: number]>>) {
  const time = { now: 1_000_000, tookMs: 0, fails: false }
  const read: string[] = []
  const readTeam = async (teamId: string) => {
    read.push(teamId)
    time.now += time.tookMs
    if (time.fails) throw new Error('gone')
    const [covered, judged] = shares[teamId] ?? [0, 0]
    return {
      asOf: time.now,
      coverage: judged === 0 ? null : covered / judged,
      judged: { calls: 1, cost: judged },
      logged: [],
      calls: [],
      classes: { session: { calls: 1, cost: covered }, text: none, ambiguous: none },
    } as unknown as TeamCoverage
  }
  const facts = new Map<string, string>()
  const openKept = () =>
    new KeptCoverage({
      coverage: { read: readTeam, readBehind: readTeam, readBook: async () => new SessionBook() },
      read: { readFacts: async () => [...facts].map(([name, value]) => ({ name, value })) },
      write: {
        replaceFacts: async ({ facts: replaced }) => {
          for (const { name, value } of replaced) facts.set(name, value)
        },
      },
      clock: () => time.now,
      stopwatch: () => time.now,
    })
  const kept = openKept()
  const pass = async (milliseconds: number, teams: readonly WatchedTeam[] | null) => {
    time.now += milliseconds
    if (teams !== null) kept.watch(teams)
    await kept.turn()
  }
  return { kept, openKept, read, time, pass }
}

test('reads each team in turn, changed ones first and others after a quarter of an hour', async () => {
  const { kept, read, pass } = open({ red: [9, 10], blue: [1, 10] })
  const teams = [team('red'), team('blue')]
  expect(kept.of('red')).toBeNull()
  await pass(0, teams)
  await pass(500, teams)
  await pass(500, teams)
  expect(read).toEqual(['red', 'blue'])
  expect([kept.of('red')?.share, kept.of('blue')?.share, kept.whole()]).toEqual([0.9, 0.1, 0.5])
  await pass(60_000, [team('red'), team('blue', 2)])
  expect(read).toEqual(['red', 'blue', 'blue'])
  await pass(15 * 60_000, [team('red'), team('blue', 2)])
  expect(read.at(-1)).toBe('red')
})

test('reads nothing without viewers, and starts again when one comes', async () => {
  const { read, pass } = open({ red: [1, 1] })
  await pass(0, null)
  expect(read).toEqual([])
  await pass(0, [team('red')])
  await pass(61_000, null)
  await pass(0, null)
  expect(read).toEqual(['red'])
  await pass(0, [team('red', 2)])
  expect(read).toEqual(['red', 'red'])
})

test('a slow read is followed by a pause nineteen times as long', async () => {
  const { read, time, pass } = open({ red: [1, 1], blue: [1, 1] })
  const teams = [team('red'), team('blue')]
  time.tookMs = 1000
  await pass(0, teams)
  await pass(18_000, teams)
  expect(read).toEqual(['red'])
  await pass(1000, teams)
  expect(read).toEqual(['red', 'blue'])
})

test('teams without a share and deleted teams do not count', async () => {
  const { kept, pass } = open({ red: [1, 3], gone: [1, 1] })
  const teams = [team('red'), team('small'), team('gone')]
  for (const _ of teams) await pass(500, teams)
  expect([kept.of('small')?.share, kept.whole()]).toEqual([null, 0.5])
  await pass(0, [team('red'), team('small')])
  expect([kept.of('gone'), kept.whole()]).toEqual([null, 0.3333])
})

// Shown to fail on a build that kept its arguments: each share then held the one before it.
test('keeps nothing besides the share of a team', async () => {
  const { kept, pass } = open({ red: [1, 1] })
  const reported = { ...team('red'), coverage: { share: 1, asOf: 0 }, buckets: [] }
  await pass(0, [reported])
  expect(Object.keys(kept.of('red') ?? {}).sort()).toEqual([
    ...['asOf', 'covered', 'hasToolEntry', 'judged', 'share'],
  ])
})

test('a failure is reported, and the team is read at the next turn', async () => {
  const { kept, read, time, pass } = open({ red: [1, 1] })
  time.fails = true
  expect(await pass(0, [team('red')]).catch(String)).toContain('gone')
  time.fails = false
  await pass(0, [team('red')])
  expect([read, kept.of('red')?.share]).toEqual([['red', 'red'], 1])
})

test('a list of all teams gets kept shares and reads the missing ones', async () => {
  const { kept, read, pass } = open({ red: [9, 10], blue: [1, 10] })
  const client = new AbortController().signal
  await pass(0, [team('red'), team('blue')])
  await pass(10 * 60_000, null)
  expect((await kept.read('red', client)).coverage).toBe(0.9)
  expect((await kept.read('blue', client)).coverage).toBe(0.1)
  expect(read).toEqual(['red', 'blue'])
  // What a list has read is in the other lists too.
  expect(kept.of('blue')?.share).toBe(0.1)
  await pass(5 * 60_000, null)
  await kept.read('red', client)
  await kept.read('blue', client)
  expect(read).toEqual(['red', 'blue', 'red'])
})

test('after a restart the shares are known, and only changed teams are read again', async () => {
  const { kept, openKept, read, time, pass } = open({ red: [9, 10], blue: [1, 10] })
  const teams = [team('red'), team('blue')]
  await pass(0, teams)
  await pass(500, teams)
  const next = openKept()
  await next.recall()
  expect([next.of('red'), next.of('blue'), next.whole()]).toEqual([kept.of('red'), kept.of('blue'), 0.5])
  time.now += 60_000
  next.watch([team('red'), team('blue', 2)])
  await next.turn()
  await next.turn()
  expect(read).toEqual(['red', 'blue', 'blue'])
  // The whole summary is not stored.
  expect([next.has('red'), next.has('blue')]).toEqual([false, true])
})
