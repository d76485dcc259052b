// The conversations of a team's tools, from its log and its calls.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type SessionsReply, sessionsReplySchema } from '@fairgate/contracts/console/sessions.ts'
import { Value } from 'typebox/value'
import { buildEntryToAppend, packTestEntries, sender } from '../../store/testing/build-entry-to-append.ts'
import { buildCallFacts, buildCharge } from '../../store/testing/build-ledger-rows.ts'
import { charge } from '../../store/testing/suite/store-actions.ts'
import { openAdminDoor } from '../testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
  await door.post('/team/new', { team_id: 'red' })
  door.time.now = at('12:00:00')
})
afterEach(() => door.close())

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`)

let numbers = 0
async function call(time: string, sessionId: string | null, cost: number, teamId = 'red'): Promise<void> {
  numbers += 1
  const admittedAt = at(time)
  const hex = admittedAt.toString(16).padStart(12, '0')
  const callId = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${numbers.toString(16).padStart(12, '0')}`
  const client = { ...buildCallFacts().client, sessionId, sessionSource: 'body', tool: 'gemini' }
  const facts = buildCallFacts({ client })
  await charge(
    door.store,
    buildCharge(callId, { teamId, admittedAt, settledAt: admittedAt + 500, cost, facts }),
  )
}

/** Entries of `session-1` of the tool. */
async function log(...times: readonly string[]): Promise<void> {
  const entries = times.map(time => buildEntryToAppend(time, { tsMicros: at(time) * 1000, tool: 'gemini' }))
  await door.store.write.appendEntries({
    now: at('11:59:00'),
    requests: [{ teamId: 'red', sender, entries: packTestEntries(entries) }],
  })
}

async function sessions(query = '', team = 'team_id=red'): Promise<SessionsReply> {
  const { status, body } = await door.get(`/sessions?${team}${query}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return Value.Parse(sessionsReplySchema, body)
}

test('a session has its entries, calls and cost; one that appears only in calls has no entries', async () => {
  await log('11:00:00', '11:10:00')
  await call('11:05:00', 'session-1', 100)
  await call('11:12:00', 'session-1', 20)
  await call('11:30:00', 'session-2', 7)
  await call('11:31:00', null, 5)
  const { items, total, next } = await sessions()
  expect(
    items.map(({ session_id, tool, entries, calls, cost_nano }) => [
      session_id,
      tool,
      entries,
      calls,
      cost_nano,
    ]),
  ).toEqual([
    ['session-2', 'gemini', 0, 1, 7],
    ['session-1', 'gemini', 2, 2, 120],
  ])
  expect(items[1]).toMatchObject({
    ...{ team_id: 'red', first_at: '2026-11-21T11:00:00.000Z', repo: 'team/project', branch: 'main' },
    ...{ students: ['student@example.org'], members: [], prompts: 0, late: 2 },
  })
  expect(items[0]).toMatchObject({ students: [], repo: null, late: 0 })
  expect(Date.parse(items[1]?.last_at ?? '')).toBeGreaterThanOrEqual(at('11:12:00'))
  expect(total).toEqual({ count: 2, entries: 2, calls: 3, cost_nano: 127, exact: true })
  expect(next).toBeNull()
  door.time.now += 11_000
  expect((await sessions('&logged=false')).items.map(({ session_id }) => session_id)).toEqual(['session-2'])
  expect((await sessions('&logged=true&tool=gemini')).items.map(({ session_id }) => session_id)).toEqual([
    'session-1',
  ])
  expect((await sessions('&tool=codex')).items).toEqual([])
})

test('pages skip none and repeat none', async () => {
  for (const minute of [1, 2, 3, 4, 5]) await call(`11:0${minute}:00`, `session-${minute}`, minute)
  const seen: string[] = []
  let after = ''
  for (;;) {
    const page = await sessions(`&limit=2${after}`)
    seen.push(...page.items.map(({ session_id }) => session_id))
    if (page.next === null) break
    after = `&after=${page.next}`
  }
  expect(seen).toEqual(['session-5', 'session-4', 'session-3', 'session-2', 'session-1'])
})

const listIds = ({ items }: SessionsReply) =>
  items.map(({ team_id, session_id }) => `${team_id} ${session_id}`)

/** Three teams with one session each, of different age, cost and length. */
async function fillTeams(): Promise<void> {
  for (const team_id of ['blue', 'green']) await door.post('/team/new', { team_id })
  await log('11:00:00')
  await call('11:00:01', 'session-1', 30, 'red')
  await call('11:02:00', 'b', 10, 'blue')
  await call('11:03:00', 'b', 10, 'blue')
  await call('11:01:00', 'g', 5, 'green')
}

test('without a team it lists those of all teams, in three orders, with filters and pages', async () => {
  await fillTeams()
  const all = (query = '') => sessions(query, '')
  const whole = await all()
  expect(listIds(whole)).toEqual(['blue b', 'green g', 'red session-1'])
  expect(whole).toMatchObject({ pending: 0, left_out: 0, total: { count: 3, cost_nano: 55, exact: true } })
  expect(listIds(await all('&sort=dearest'))).toEqual(['red session-1', 'blue b', 'green g'])
  expect(listIds(await all('&sort=longest'))[0]).toBe('blue b')
  expect(listIds(await all('&min_cost_nano=20'))).toEqual(['blue b', 'red session-1'])
  expect(listIds(await all('&logged=true&person=STUDENT@example.org'))).toEqual(['red session-1'])
  expect(listIds(await all('&person=nobody'))).toEqual([])
  for (const sort of ['newest', 'dearest', 'longest']) {
    const seen: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const page: SessionsReply = await all(`&sort=${sort}&limit=1${after}`)
      seen.push(...listIds(page))
      after = page.next === null ? null : `&after=${page.next}`
    }
    expect(seen).toEqual(listIds(await all(`&sort=${sort}`)))
  }
})

// Shown to fail on a build without the time limit: the first reply then had all teams.
test('a request reads teams for a short time, and the next ones complete the list', async () => {
  await fillTeams()
  door.pace.coverageMs = 60
  const seen: (readonly [number, number, boolean])[] = []
  for (let count = 0; count < 3; count += 1) {
    const { items, pending, total } = await sessions('', '')
    seen.push([items.length, pending, total.exact])
  }
  expect(seen).toEqual([
    [1, 2, false],
    [2, 1, false],
    [3, 0, true],
  ])
})

test('the first prompt, what the log covers, and the active time', async () => {
  const prompt = 'Please wire it to the parser, and keep the tests green.'
  const entry = { ...buildEntryToAppend('11:00:00', { tsMicros: at('11:00:00') * 1000, tool: 'gemini' }) }
  const body = JSON.stringify({ ...JSON.parse(entry.body), prompt })
  const told = { ...entry, body, bodyBytes: Buffer.byteLength(body) }
  await door.store.write.appendEntries({
    now: at('11:59:00'),
    requests: [{ teamId: 'red', sender, entries: packTestEntries([told]) }],
  })
  await call('11:01:00', 'session-1', 100)
  await call('11:30:00', 'session-1', 100)
  await call('11:40:00', 'unlogged', 100)
  expect((await sessions()).items).toMatchObject([
    { session_id: 'unlogged', first_prompt: null, coverage: 0 },
    // Two calls of half a second, and a minute before the first; not the half hour between.
    { session_id: 'session-1', first_prompt: prompt, coverage: 1, active_ms: 61_000 },
  ])
})

test('invalid queries are refused', async () => {
  for (const [query, code] of [
    ['?from=2026-11-21T11:00:00Z', 'invalid_request'],
    ['?sort=oldest', 'invalid_request'],
    ['?min_cost_nano=-1', 'invalid_request'],
    ['?team_id=nobody', 'team_not_found'],
    ['?team_id=red&after=x', 'invalid_request'],
    ['?team_id=red&logged=perhaps', 'invalid_request'],
    ['?team_id=red&from=now', 'invalid_request'],
    ['?team_id=red&session=1', 'invalid_request'],
  ])
    expect({ query, ...(await door.get(`/sessions${query}`)) }).toMatchObject({
      query,
      body: { error: { code } },
    })
})
