// suite: 9 s
// `npm run demo`: every page has data to show, every check of money and logs passes, and Ctrl-C leaves nothing behind.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { CoverageList } from '@fairgate/contracts/calls/coverage.ts'
import type { Overview } from '@fairgate/contracts/console/overview.ts'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import type { GeneratedKey } from '@fairgate/contracts/management/key-bodies.ts'

const program = join(import.meta.dir, '../src/demo.ts')
const place = mkdtempSync(join(tmpdir(), 'fairgate-demo-test-'))

/** Runs `npm run demo` with another server's environment. */
const demo = Bun.spawn([process.execPath, program], {
  env: {
    PATH: process.env.PATH,
    TMPDIR: place,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x',
    VENDOR_API_KEY: 'the key of a real provider',
    FAIRGATE_DATA_DIR: '/nowhere',
  },
  stdin: 'ignore',
  stdout: 'pipe',
  stderr: 'inherit',
})
let said = ''
let gatewayUrl = ''
let ask = async (_method: string, _path: string, _body?: object): Promise<Response> => Response.error()
const get = async <Reply>(path: string): Promise<Reply> => {
  const response = await ask('GET', path)
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Reply
}
const numbersOf = (pattern: RegExp) => (pattern.exec(said) ?? []).slice(1).map(Number)

/** Follows a link that the program printed. Returns the signed-in person and the cookie. */
async function signIn(label: string, path: string) {
  const [, link = ''] = new RegExp(`^ +${label} +(\\S+)$`, 'm').exec(said) ?? []
  const { origin, hash } = new URL(link)
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ once: new URLSearchParams(hash.slice(1)).get('once') }),
  })
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { origin, cookie, reply: (await response.json()) as object }
}

beforeAll(async () => {
  const decoder = new TextDecoder()
  for await (const bytes of demo.stdout) {
    said += decoder.decode(bytes, { stream: true })
    if (said.includes('Press Ctrl-C')) break
  }
  const { origin, cookie } = await signIn('console', '/session')
  ask = (method, path, body) =>
    fetch(`${origin}${path}`, {
      method,
      headers: { cookie, origin, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
})
afterAll(async () => {
  demo.kill('SIGKILL')
  rmSync(place, { recursive: true, force: true })
})

test('the event is as large as the program says', async () => {
  const [teams, members, calls, refused, entries] = numbersOf(
    /Sample data: (\d+) teams with (\d+) members, (\d+) calls \((\d+) of them refused\) and (\d+) log entries/,
  )
  expect([teams, members]).toEqual([12, 36])
  expect(calls).toBeGreaterThan(1200)
  expect(entries).toBeGreaterThan(1500)
  expect(refused).toBeGreaterThan(50)
  const records: CallsPage['items'] = []
  for (let before: string | null = ''; before !== null; ) {
    const page: CallsPage = await get(`/calls?limit=200${before === '' ? '' : `&before=${before}`}`)
    records.push(...page.items)
    before = page.next_before
  }
  expect(records).toHaveLength(calls ?? 0)
  expect(new Set(records.map(({ code }) => code)).size).toBeGreaterThan(6)
  expect(new Set(records.map(({ tool }) => tool))).toEqual(new Set(['claude', 'codex', 'gemini']))
  expect(new Set(records.flatMap(({ model_served }) => model_served ?? [])).size).toBe(3)
})

test('totals, sums and charges of each team add up, and no team exceeds its budget', async () => {
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

test('the logs verify, and the entries match the calls', async () => {
  const { items } = await get<TeamsReply>('/teams?limit=100')
  for (const { team_id, entries } of items) {
    expect(await get<object>(`/logs/verify?team_id=${team_id}`)).toMatchObject({ ok: true })
    if (entries === 0) continue
    const { teams } = await get<CoverageList>(`/coverage?team_id=${team_id}`)
    // Calls whose entries the silent recorder has not sent stay unexplained.
    expect(teams[0]?.coverage ?? 0).toBeGreaterThan(team_id === 'quiet-storm' ? 0.1 : 0.8)
  }
  expect(items.reduce((sum, { entries }) => sum + entries, 0)).toBe(
    numbersOf(/and (\d+) log entries/)[0] ?? 0,
  )
})

describe('the console shows', () => {
  test('an event named as an example: practice over, contest running, judging ahead', async () => {
    const event = await get<{ name: string; phases: { name: string }[] }>('/event')
    expect(event.name).toBe('Rehearsal: a filled example')
    expect(event.phases.map(({ name }) => name)).toEqual(['practice', 'contest', 'judging'])
    expect(await get<object>('/announcements')).toMatchObject({ total: { count: 2 } })
  })

  test('teams in every state that needs attention, with different curves', async () => {
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

  test('sessions of three tools, a hostile text, failing commands, attention items and recorders', async () => {
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

  test('corrections, a grant, notes, an answered question and an open one', async () => {
    const { items } = await get<{ items: { action: string }[] }>('/audit?limit=200')
    const actions = new Set(items.map(({ action }) => action))
    for (const action of ['call.adjust', 'call.refund', 'team.grant', 'note.create', 'team.block'])
      expect(actions).toContain(action)
    const questions = await get<{ items: { answered_at: string | null }[] }>('/questions')
    expect(questions.items.map(({ answered_at }) => answered_at === null).sort()).toEqual([false, true])
  })

  test('a team page that opens with the link', async () => {
    const { origin, reply } = await signIn('team page', '/self/session')
    gatewayUrl = origin
    expect(reply).toMatchObject({ team_alias: 'Night Ferry', member: { name: 'Jiwoo Han' } })
  })
})

test('the limits count the sample data: a team without money is refused, another is served', async () => {
  const chat = async (team: string) => {
    const reply = await ask('POST', '/key/generate', { team_id: team })
    const { key } = (await reply.json()) as GeneratedKey
    const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
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

test('Ctrl-C ends the server and removes its folder', async () => {
  expect(readdirSync(place)).toHaveLength(1)
  demo.kill('SIGINT')
  expect(await demo.exited).toBe(0)
  expect(readdirSync(place)).toEqual([])
  expect(await ask('GET', '/overview').catch(() => null)).toBeNull()
})
