// suite: 7 s
// The rehearsed past: every page has something to show, and every proof of money and logs holds.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { CallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { CoverageList } from '@fairgate/contracts/calls/coverage.ts'
import type { Overview } from '@fairgate/contracts/console/overview.ts'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import type { DemoState, FilledDemo } from '@fairgate/contracts/management/demo.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

/** Without a provider of its own a server has the embedded sandbox. */
const withSandbox = { variables: { VENDOR_API_KEY: '', VENDOR_BASE_URL: '' } }

let fairgate: Fairgate
let filled: FilledDemo
const get = async <Reply>(path: string): Promise<Reply> => {
  const response = await fairgate.manage.call('GET', path)
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Reply
}

beforeAll(async () => {
  fairgate = await startFairgate(withSandbox)
  expect(await get<DemoState>('/demo')).toMatchObject({ filled: false, can_fill: true, why_not: null })
  const preview = await fairgate.manage.post<FilledDemo>('/demo/fill', { dry_run: true })
  expect(preview).toMatchObject({ applied: false, why_not: null, teams: 12, team_page: null })
  expect(await fairgate.manage.call('GET', '/team/list').then(reply => reply.json())).toHaveLength(1)
  filled = await fairgate.manage.post<FilledDemo>('/demo/fill', {})
})
afterAll(() => fairgate.stop())

test('it is as large as it says', async () => {
  expect(filled).toMatchObject({ teams: 12, members: 36 })
  expect(filled.calls).toBeGreaterThan(1200)
  expect(filled.entries).toBeGreaterThan(1500)
  expect(filled.refused).toBeGreaterThan(50)
  const records: CallsPage['items'] = []
  for (let before: string | null = ''; before !== null; ) {
    const page: CallsPage = await get(`/calls?limit=200${before === '' ? '' : `&before=${before}`}`)
    records.push(...page.items)
    before = page.next_before
  }
  expect(records).toHaveLength(filled.calls)
  expect(new Set(records.map(({ code }) => code)).size).toBeGreaterThan(6)
  expect(new Set(records.map(({ tool }) => tool))).toEqual(new Set(['claude', 'codex', 'gemini']))
  expect(new Set(records.flatMap(({ model_served }) => model_served ?? [])).size).toBe(3)
})

test('money adds up: totals, sums and charges of each team, and nobody has spent more than its budget', async () => {
  const { items } = await get<TeamsReply>('/teams?limit=100')
  let spent = 0
  for (const { team_id, spent_nano, budget_nano } of items) {
    expect(await get<object>(`/spend/verify?team_id=${team_id}`)).toMatchObject({ ok: true })
    expect(spent_nano).toBeLessThanOrEqual(budget_nano ?? 0)
    spent += spent_nano
  }
  const overview = await get<Overview>('/overview')
  expect(overview.spent_nano).toBe(spent)
  expect(spent).toBeGreaterThan(20e9)
})

test('the logs are whole, and the entries join the calls', async () => {
  const { items } = await get<TeamsReply>('/teams?limit=100')
  for (const { team_id, entries } of items) {
    expect(await fairgate.manage.verifyLog(team_id)).toMatchObject({ ok: true })
    if (entries === 0) continue
    const { teams } = await get<CoverageList>(`/coverage?team_id=${team_id}`)
    // What the silent recorder has not sent explains nothing.
    expect(teams[0]?.coverage ?? 0).toBeGreaterThan(team_id === 'quiet-storm' ? 0.1 : 0.8)
  }
  expect(items.reduce((sum, { entries }) => sum + entries, 0)).toBe(filled.entries)
})

describe('what organisers see at once', () => {
  test('an event that says what it is: practice over, contest running, judging ahead', async () => {
    const event = await get<{ name: string; phases: { name: string }[] }>('/event')
    expect(event.name).toBe('Rehearsal: a filled example')
    expect(event.phases.map(({ name }) => name)).toEqual(['practice', 'contest', 'judging'])
    expect(await get<object>('/announcements')).toMatchObject({ total: { count: 2 } })
  })

  test('teams in every state that asks for somebody, and curves that differ', async () => {
    const { items } = await get<TeamsReply>('/teams?limit=100')
    const states = new Map(items.map(({ team_id, state }) => [team_id, state]))
    expect(Object.fromEntries(states)).toEqual({
      'night-ferry': 'working',
      'paper-lantern': 'near_budget',
      'blue-kiwi': 'working',
      'quiet-storm': 'recorder_silent',
      'lemon-tree': 'budget_spent',
      'tin-robots': 'refused_now',
      'north-star': 'working',
      'green-tea': 'working',
      'slow-train': 'quiet',
      'red-panda': 'working',
      'glass-bridge': 'blocked',
      'salt-and-sun': 'working',
    })
    expect(new Set(items.map(({ spark }) => JSON.stringify(spark))).size).toBeGreaterThan(10)
  })

  test('sessions of three tools, one with a hostile text, failing commands, attention, corrections, recorders', async () => {
    const sessions = await get<{ items: { tool: string }[] }>('/sessions?team_id=night-ferry')
    expect(new Set(sessions.items.map(({ tool }) => tool))).toEqual(new Set(['claude', 'codex', 'gemini']))
    const found = await get<{ items: { team_id: string }[] }>('/logs/search?q=alert')
    expect(found.items.map(({ team_id }) => team_id)).toEqual(['night-ferry'])
    const failing = await get<{ items: unknown[] }>('/logs/search?q=%22Exit%20code%22&limit=10')
    expect(failing.items.length).toBeGreaterThan(0)
    const attention = await get<{ items: { kind: string }[] }>('/attention')
    expect(attention.items.map(({ kind }) => kind)).toContain('recorder_silent')
    const recorders = await get<{ items: { unsent: number | null }[] }>('/recorders?team_id=quiet-storm')
    expect(recorders.items.some(({ unsent }) => (unsent ?? 0) > 0)).toBe(true)
  })

  test('the page of a team opens with the link', async () => {
    const { hash, origin } = new URL(filled.team_page ?? '')
    expect(origin).toBe(fairgate.gatewayUrl)
    const once = new URLSearchParams(hash.slice(1)).get('once')
    const signedIn = await fetch(`${origin}/self/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ once }),
    })
    expect(await signedIn.json()).toMatchObject({ team_alias: 'Night Ferry', member: { name: 'Jiwoo Han' } })
  })
})

test('the limits know of it: a team without money is refused, another one is served', async () => {
  const chat = async (team: string) => {
    const key = await fairgate.manage.key(team)
    const response = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    return [response.status, Object(Object(await response.json()).error).code]
  }
  expect(await chat('lemon-tree')).toEqual([429, 'budget_exceeded'])
  expect(await chat('blue-kiwi')).toEqual([200, undefined])
  expect(await get<object>('/spend/verify?team_id=blue-kiwi')).toMatchObject({ ok: true })
})

test('it is made up once, and only where nobody can mistake it for a real event', async () => {
  expect(await get<DemoState>('/demo')).toMatchObject({ filled: true, can_fill: false })
  const again = await fairgate.manage.call('POST', '/demo/fill', {})
  expect([again.status, await again.text()]).toEqual([409, expect.stringContaining('is there already')])
  const used = await startFairgate(withSandbox)
  await used.manage.team('real')
  const refused = await used.manage.call('POST', '/demo/fill', {})
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('has teams already')])
  await used.stop()
  const paid = await startFairgate()
  const withProvider = await paid.manage.call('POST', '/demo/fill', {})
  expect([withProvider.status, await withProvider.text()]).toEqual([
    409,
    expect.stringContaining('a real provider'),
  ])
  await paid.stop()
})
