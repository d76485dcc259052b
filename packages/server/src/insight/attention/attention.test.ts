// The figures that conditions depend on, from a real directory and store: grants, phases, calls and entries, and an unavailable database.
import { expect, test } from 'bun:test'
import { openTestDirectory } from '../../directory/testing/open-test-directory.ts'
import { nanoDollars } from '../../ledger/money.ts'
import type { KeptShare, WatchedTeam } from '../../record/kept-coverage.ts'
import { Attention, type AttentionDependencies } from './attention.ts'

const vendor = { upstream: 'vendor', keys: [], recentTries: { tries: 0, failed: 0 } }

async function openWorld(
  spentUsd: Readonly<Record<string, number>>,
  upstreams: AttentionDependencies['upstreams'] = () => [],
) {
  const opened = await openTestDirectory()
  let isAway = false
  const shares = new Map<string, KeptShare>()
  const watched: WatchedTeam[] = []
  const open = () =>
    new Attention({
      directory: opened.directory,
      limits: {
        readSpend: async owners => {
          if (isAway) throw new Error('The database is away.')
          return owners.map(({ owner }) => ({
            spent: nanoDollars((spentUsd[owner.kind === 'event' ? 'event' : owner.teamId] ?? 0) * 1e9),
            held: nanoDollars(0),
          }))
        },
      },
      read: opened.store.read,
      write: opened.store.write,
      coverage: { of: teamId => shares.get(teamId) ?? null, watch: teams => watched.push(...teams) },
      upstreams,
      disk: () => null,
      ledger: () => ({ reason: isAway ? 'database_unavailable' : null, unwritten: 0 }),
      wrongTotals: () => 0,
      clock: () => opened.time.now,
    })
  const attention = open()
  return {
    ...opened,
    attention,
    shares,
    watched,
    /** Another process on the same database, or this one after a restart. */
    open,
    sendAway: () => {
      isAway = true
    },
    idsNow: async () => (await attention.conditions()).map(({ id }) => id.replace(/:\d+$/, '')),
  }
}

test('counts grants and the event cap, and a lasting condition keeps its start', async () => {
  const { directory, attention, idsNow, time, close } = await openWorld({ red: 9, blue: 1, event: 95 })
  await directory.createTeam({ team_id: 'red', max_budget: 10 }, 'ada')
  await directory.createTeam({ team_id: 'blue', max_budget: 10 }, 'ada')
  await directory.setEvent({ cap_nano: 100e9 }, 'ada')
  expect(await idsNow()).toEqual(['budget_low:red', 'event_cap_low'])
  const since = (await attention.conditions())[0]?.since
  time.now += 60_000
  expect((await attention.conditions())[0]?.since).toBe(since as number)
  await directory.grantTeam('red', { amount_nano: 10e9, reason: 'network' }, 'ada')
  expect(await idsNow()).toEqual(['event_cap_low'])
  await close()
})

test('while the database is unavailable, its failure comes first and known conditions stay', async () => {
  const { directory, idsNow, sendAway, close } = await openWorld({ red: 10 })
  await directory.createTeam({ team_id: 'red', team_alias: 'Red', max_budget: 10 }, 'ada')
  expect(await idsNow()).toEqual(['budget_spent:red'])
  sendAway()
  expect((await idsNow()).sort()).toEqual(['budget_spent:red', 'ledger_retrying'])
  await close()
})

test('an upstream that fails at each look for a minute is down, and one successful call ends that', async () => {
  let failure: string | null = 'upstream_timeout'
  const { idsNow, time, close } = await openWorld({}, () => [{ ...vendor, failure }])
  expect(await idsNow()).toEqual([])
  time.now += 60_000
  expect(await idsNow()).toEqual(['upstream_out:vendor'])
  failure = null
  expect(await idsNow()).toEqual([])
  failure = 'upstream_timeout'
  expect(await idsNow()).toEqual([])
  await close()
})

test('an upstream with one in ten recent tries failed, although the last call succeeded', async () => {
  const recentTries = { tries: 200, failed: 20 }
  const { idsNow, close } = await openWorld({}, () => [{ ...vendor, recentTries, failure: null }])
  expect(await idsNow()).toEqual(['upstream_errors:vendor'])
  await close()
})

// Fails if each process keeps starts only in its memory.
test('the start of a condition is the same on all processes and after a restart', async () => {
  const { directory, store, attention, open, time, close } = await openWorld({ red: 10 })
  await directory.createTeam({ team_id: 'red', max_budget: 10 }, 'ada')
  const other = open()
  await other.conditions()
  const begunAt = (await attention.conditions())[0]?.since ?? 0
  time.now += 60_000
  expect((await other.conditions())[0]?.since).toBe(begunAt)
  expect((await open().conditions())[0]?.since).toBe(begunAt)
  await directory.grantTeam('red', { amount_nano: 100e9, reason: 'network' }, 'ada')
  expect([await attention.conditions(), await other.conditions()]).toEqual([[], []])
  expect(await store.read.listConditionStarts(null)).toEqual([])
  await close()
})

test('a process ends only conditions it found; one that is not found after a start ends two minutes later', async () => {
  let failure: string | null = 'upstream_timeout'
  const { store, attention, open, time, close } = await openWorld({}, () => [{ ...vendor, failure }])
  await attention.conditions()
  time.now += 60_000
  const [out] = await attention.conditions()
  failure = null
  const restarted = open()
  expect(await restarted.conditions()).toEqual([])
  const listStarts = () => store.read.listConditionStarts(null)
  expect(await listStarts()).toEqual([{ conditionId: 'upstream_out:vendor', since: out?.since ?? 0 }])
  time.now += 119_000
  await restarted.conditions()
  expect(await listStarts()).toHaveLength(1)
  time.now += 1000
  await restarted.conditions()
  expect(await listStarts()).toEqual([])
  // Another process may still see it: that process ends it.
  await store.write.noteConditionStarts({
    begun: [{ conditionId: 'upstream_out:vendor', since: 1 }],
    ended: [],
  })
  time.now += 600_000
  await restarted.conditions()
  expect(await listStarts()).toHaveLength(1)
  await close()
})

test('starts that could not be written are written once the database is back', async () => {
  const { directory, store, attention, breakWrite, time, close } = await openWorld({ red: 10 })
  await directory.createTeam({ team_id: 'red', max_budget: 10 }, 'ada')
  breakWrite('noteConditionStarts')
  const begunAt = (await attention.conditions())[0]?.since ?? 0
  breakWrite(null)
  time.now += 60_000
  expect((await attention.conditions())[0]?.since).toBe(begunAt)
  expect(await store.read.listConditionStarts(null)).toMatchObject([{ since: begunAt }])
  await close()
})

test('reading conditions watches the teams and includes what their logs do not explain', async () => {
  const { directory, idsNow, shares, watched, close } = await openWorld({ red: 5, blue: 5 })
  for (const team_id of ['red', 'blue']) await directory.createTeam({ team_id }, 'ada')
  expect(await idsNow()).toEqual([])
  expect(watched.map(({ teamId }) => teamId)).toEqual(['red', 'blue'])
  shares.set('red', { share: 0.3, judged: 5e9, covered: 1.5e9, hasToolEntry: true, asOf: 0 })
  shares.set('blue', { share: null, judged: 0, covered: 0, hasToolEntry: true, asOf: 0 })
  expect(await idsNow()).toEqual(['log_uncovered:red'])
  await close()
})

test('missing submissions count from an hour before the deadline to an hour after it, without blocked teams', async () => {
  const { directory, attention, idsNow, time, close } = await openWorld({})
  for (const team_id of ['red', 'blue', 'grey']) await directory.createTeam({ team_id }, 'ada')
  await directory.setTeamBlocked('grey', true, 'ada')
  const hour = 3_600_000
  const due = time.now + 2 * hour
  const iso = (at: number) => new Date(at).toISOString()
  await directory.setPhases({ phases: [{ name: 'contest', from: iso(time.now), until: iso(due) }] }, 'ada')
  time.now = due - hour
  expect(await idsNow()).toEqual([])
  await directory.setEvent({ submission: {} }, 'ada')
  expect((await attention.conditions())[0]?.text).toStartWith('2 of 2 teams have not handed in.')
  for (const [at, expected] of [
    [due - hour - 1, []],
    [due + hour - 1, ['submissions_missing']],
    [due + hour, []],
  ] as const) {
    time.now = at
    expect(await idsNow()).toEqual([...expected])
  }
  await close()
})
