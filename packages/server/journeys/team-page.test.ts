// suite: 5 s
// Routes of the team page on the gateway door: signing in with a key, the team at a glance, and nothing about other teams.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { CallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { Self, SelfModels } from '@fairgate/contracts/console/self.ts'
import type { SpendSeries } from '@fairgate/contracts/spend/spend-report.ts'
import { codeOf } from './testing/door-routes.ts'
import { adminKey, type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let key = ''
let otherKey = ''
const json = { 'content-type': 'application/json' }
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
type Headers = Readonly<Record<string, string>>

beforeAll(async () => {
  fairgate = await startFairgate({ variables: { FAIRGATE_TRUSTED_PROXIES: '127.0.0.0/8' } })
  const { manage } = fairgate
  await manage.post('/team/new', { team_id: 'ferry', team_alias: 'Night Ferry', max_budget: 1 })
  const { member_id } = await manage.post<{ member_id: string }>('/people', {
    team_id: 'ferry',
    name: 'Jiwoo Han',
  })
  key = await manage.key('ferry', { key_alias: 'laptop', member_id })
  await manage.key('ferry', { key_alias: 'ci' })
  otherKey = await manage.team('other', { max_budget: 5 })
  for (const secret of [key, otherKey]) await chat(secret)
})
afterAll(() => fairgate.stop())

const chat = (secret: string, model = 'mm-2.5-flash') =>
  fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...json, ...bearer(secret) },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
  })

async function ask(path: string, headers: Headers = {}, method = 'GET', body?: object) {
  const response = await fetch(`${fairgate.gatewayUrl}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, code: codeOf(text), text, headers: response.headers }
}

async function signIn(body: object, headers: Headers = {}) {
  const reply = await ask('/self/session', { ...json, ...headers }, 'POST', body)
  const set = reply.headers.get('set-cookie') ?? ''
  return { ...reply, set, cookie: set.split(';')[0] ?? '' }
}

describe('signing in', () => {
  test("with a gateway key: an HttpOnly cookie, only for the page's routes", async () => {
    const signedIn = await signIn({ key })
    expect(signedIn.set).toMatch(/^fairgate_team=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(JSON.parse(signedIn.text)).toMatchObject({
      team_id: 'ferry',
      team_alias: 'Night Ferry',
      member: { name: 'Jiwoo Han' },
    })
    const secure = await signIn({ key }, { 'x-forwarded-proto': 'https' })
    expect(secure.set).toEndWith('; Secure')
    const { cookie } = signedIn
    expect((await ask('/self', { cookie })).status).toBe(200)
    // It can neither call models nor manage anything.
    for (const path of ['/key/info', '/v1/models', '/team/info?team_id=ferry'])
      expect(await ask(path, { cookie })).toMatchObject({ status: 401, code: 'invalid_api_key' })
    const value = cookie.split('=')[1] ?? ''
    for (const name of ['fairgate_team', 'fairgate_session']) {
      const response = await fetch(`${fairgate.adminUrl}/team/list`, {
        headers: { cookie: `${name}=${value}` },
      })
      expect(response.status).toBe(401)
    }
  })

  test("an organiser's cookie does not open a team page", async () => {
    const response = await fetch(`${fairgate.adminUrl}/session`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ key: adminKey }),
    })
    const value = /fairgate_session=([\w-]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1]
    for (const name of ['fairgate_team', 'fairgate_session'])
      expect(await ask('/self', { cookie: `${name}=${value}` })).toMatchObject({ status: 401 })
  })

  test('is refused with the reason: mistyped, blocked, not a gateway key, from another site', async () => {
    const codeFor = async (wrong: unknown) => (await signIn({ key: wrong })).text
    expect(await codeFor(key.slice(0, -1))).toContain('is cut off: 1 character is missing')
    expect(await codeFor(adminKey)).toContain('A gateway key starts with sk-.')
    const blocked = await fairgate.manage.key('ferry')
    const { cookie } = await signIn({ key: blocked })
    await fairgate.manage.post('/key/block', { key: blocked })
    expect((await signIn({ key: blocked })).code).toBe('key_blocked')
    expect(await ask('/self', { cookie })).toMatchObject({ status: 401, code: 'key_blocked' })
    expect((await signIn({ key }, { 'sec-fetch-site': 'cross-site' })).code).toBe('cross_site')
    for (const body of [{}, { key: null }, { key, once: 'x' }])
      expect((await signIn(body)).code).toBe('invalid_request')
    expect((await signIn({ once: 'once_nothing' }, { 'x-forwarded-for': '198.51.100.9' })).text).toContain(
      'This sign-in link was used already',
    )
  })

  test('a new secret ends the sessions of the old one', async () => {
    const secret = await fairgate.manage.key('ferry', { key_alias: 'renewed' })
    const { cookie } = await signIn({ key: secret })
    await fairgate.manage.post('/key/renewed/regenerate', {})
    expect(await ask('/self', { cookie })).toMatchObject({ status: 401, code: 'invalid_api_key' })
  })

  test('signing out ends one session or all of the key, only from a page of the door', async () => {
    const [first, second] = [await signIn({ key }), await signIn({ key })]
    const signOut = (cookie: string, query: string, site: string) =>
      ask(`/self/session${query}`, { cookie, 'sec-fetch-site': site }, 'DELETE')
    expect((await signOut(first.cookie, '', 'cross-site')).code).toBe('cross_site')
    const out = await signOut(first.cookie, '', 'same-origin')
    expect([out.text, out.headers.get('set-cookie')?.split(';')[1]]).toEqual(['{"ended":1}', ' Max-Age=0'])
    expect((await ask('/self', { cookie: first.cookie })).status).toBe(401)
    expect((await ask('/self', { cookie: second.cookie })).status).toBe(200)
    await signOut(second.cookie, '?everywhere=true', 'same-origin')
    expect((await ask('/self', { cookie: second.cookie })).status).toBe(401)
  })
})

describe('the page', () => {
  const read = async <Reply>(path: string): Promise<Reply> => JSON.parse((await ask(path, bearer(key))).text)

  test("shows the team's budget, keys, lights, phase and latest refusal", async () => {
    await chat(key, 'no-such-model')
    const { cost_nano } = (await read<CallsPage>('/self/calls?outcome=completed')).items[0] ?? {
      cost_nano: 0,
    }
    expect(cost_nano).toBeGreaterThan(0)
    await fairgate.manage.post('/announcements', { text: 'Lunch is served.' })
    let self = await read<Self>('/self')
    // A refused call is recorded within a second.
    while (self.refusal === null || self.budget.spent_nano === 0) self = await read<Self>('/self')
    expect(self).toMatchObject({
      team: { team_id: 'ferry', team_alias: 'Night Ferry' },
      member: { name: 'Jiwoo Han' },
      phase: { gateway: 'open', name: null },
      budget: {
        budget_nano: 1_000_000_000,
        spent_nano: cost_nano,
        held_nano: 0,
        left_nano: 1_000_000_000 - cost_nano,
      },
      lights: { key: { s: 'ok' }, call: { s: 'ok' }, rec: { s: 'none' } },
      refusal: { outcome: 'refused', code: 'model_not_found', model_asked: 'no-such-model' },
      addresses: { gateway: fairgate.gatewayUrl, logbook: fairgate.logbookUrl },
      board: { locked: false },
      announcements: [{ text: 'Lunch is served.' }],
    })
    expect(self.keys.slice(0, 2)).toMatchObject([
      { alias: 'laptop', person: 'Jiwoo Han', spend_nano: cost_nano, works: true, is_own: true },
      { alias: 'ci', person: null, spend_nano: 0, works: true, is_own: false },
    ])
    expect(JSON.stringify(self)).not.toContain(key)
  })

  test('shows nothing of another team', async () => {
    const own = await read<CallsPage>('/self/calls?limit=100')
    expect(new Set(own.items.map(({ team_id }) => team_id))).toEqual(new Set(['ferry']))
    const foreign: CallsPage = JSON.parse((await ask('/self/calls', bearer(otherKey))).text)
    const id = foreign.items[0]?.call_id ?? ''
    expect(await ask(`/self/calls/${id}`, bearer(key))).toMatchObject({ status: 404, code: 'call_not_found' })
    expect((await ask(`/self/calls/${id}`, bearer(otherKey))).status).toBe(200)
    // Another team cannot be requested.
    expect(await ask('/self/series?team_id=other', bearer(key))).toMatchObject({ status: 400 })
    const series = await read<SpendSeries>('/self/series?step=5m')
    const spent = own.items.reduce((total, { cost_nano }) => total + cost_nano, 0)
    expect(series.total.cost_nano).toBe(spent)
    expect((await ask('/self/sessions', bearer(key))).text).not.toContain('other')
  })

  test('lists what the key can call, with prices, each model once', async () => {
    const { items } = await read<SelfModels>('/self/models')
    const flash = items.find(({ id }) => id === 'mm-2.5-flash')
    expect(flash?.names).toContain('mm-2.5-flash')
    expect(Object.keys(flash?.price ?? {})).not.toEqual([])
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
  })
})

test('the stream sends changes to all pages of the team, and nothing of other teams', async () => {
  const follow = async (secret: string, headers: Headers = {}) => {
    const response = await fetch(`${fairgate.gatewayUrl}/self/stream`, {
      headers: { ...bearer(secret), ...headers },
    })
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    const reader = response.body?.getReader()
    const decoder = new TextDecoder()
    return {
      /** Everything received by the time that this event arrives. */
      until: async (what: string) => {
        let text = ''
        while (!text.includes(what)) {
          const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
          if (done) throw new Error(`The stream ended without ${what}: ${text}`)
          text += decoder.decode(value)
        }
        return text
      },
      leave: () => reader?.cancel(),
    }
  }
  const { cookie } = await signIn({ key })
  const [first, second, other] = [await follow(key), await follow(key, { cookie }), await follow(otherKey)]
  const begun = await first.until('event: self')
  expect(begun).toContain('"team_id":"ferry"')
  await second.until('event: self')
  await fairgate.manage.post('/announcements', { text: 'Only for the ferry.', teams: ['ferry'] })
  const reported = await first.until('Only for the ferry.')
  await second.until('Only for the ferry.')
  const place = /id: (\S+)/.exec(reported)?.[1] ?? ''
  await first.leave()
  const again = await follow(key, { 'last-event-id': place })
  await fairgate.manage.post('/announcements', { text: 'For everybody.' })
  const missed = await again.until('For everybody.')
  expect(missed).not.toContain('event: reset')
  const foreign = await other.until('For everybody.')
  expect(foreign).toContain('"team_id":"other"')
  expect(foreign).not.toContain('ferry')
  for (const reader of [second, other, again]) await reader.leave()
})
