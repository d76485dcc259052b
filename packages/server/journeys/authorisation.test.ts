// Who may do what: every route of every door, as its own document lists them, with every credential that is not the right one.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ingest, readAllEntries, sampleEntry } from './testing/logbook-client.ts'
import { adminKey, type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

type Door = 'gateway' | 'logbook' | 'admin'
type Route = { readonly door: Door; readonly method: string; readonly path: string }

let fairgate: Fairgate
let routes: Route[]
const secrets = new Map<string, string>()
const secretOf = (name: string) => secrets.get(name) ?? ''
const urlOf = (door: Door) => {
  if (door === 'gateway') return fairgate.gatewayUrl
  return door === 'logbook' ? fairgate.logbookUrl : fairgate.adminUrl
}

async function listRoutes(door: Door): Promise<Route[]> {
  const document = (await (await fetch(`${urlOf(door)}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => ({
      door,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{[^}]+\}/g, 'x'),
    })),
  )
}

beforeAll(async () => {
  fairgate = await startFairgate()
  const { manage } = fairgate
  secrets.set('key of team A', await manage.team('team-a', { max_budget: 1 }))
  secrets.set('key of team B', await manage.team('team-b', { max_budget: 1 }))
  secrets.set('log token of team A', (await manage.token('team-a')).token)
  secrets.set('log token of team B', (await manage.token('team-b')).token)
  const blocked = await manage.key('team-a')
  await manage.post('/key/block', { key: blocked })
  secrets.set('blocked key', blocked)
  const revoked = await manage.token('team-a')
  await manage.post('/log_token/revoke', { token_id: revoked.token_id })
  secrets.set('revoked log token', revoked.token)
  secrets.set('admin key', adminKey)
  secrets.set('unknown key', 'sk-unknown')
  secrets.set('unknown log token', 'aitc_unknown')
  secrets.set('nonsense', 'nonsense')
  routes = (await Promise.all((['gateway', 'logbook', 'admin'] as const).map(listRoutes))).flat()
})
afterAll(() => fairgate.stop())

/** The body is hostile on purpose: who is not let in must not have it looked at. */
async function ask({ door, method, path }: Route, authorization: string | null) {
  const response = await fetch(`${urlOf(door)}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(authorization === null ? {} : { authorization }),
    },
    ...(method === 'GET' ? {} : { body: '{"not json' }),
  })
  const body = (await response.json().catch(() => null)) as {
    error?: { code: string; message: string }
  } | null
  return { status: response.status, code: body?.error?.code ?? null, text: JSON.stringify(body) }
}

const accepted: Readonly<Record<Door, readonly string[]>> = {
  gateway: ['key of team A', 'key of team B'],
  logbook: ['log token of team A', 'log token of team B'],
  admin: ['admin key'],
}
const refusals: Readonly<Record<Door, string>> = {
  gateway: 'invalid_api_key',
  logbook: 'unauthorized',
  admin: 'admin_unauthorized',
}

test('the documents list the routes of all doors', () => {
  const count = (door: Door) => routes.filter(route => route.door === door).length
  expect(count('gateway')).toBeGreaterThanOrEqual(9)
  expect(count('logbook')).toBe(2)
  expect(count('admin')).toBeGreaterThanOrEqual(18)
})

describe('every route', () => {
  // All at once: an address that keeps failing is answered more and more slowly, each time up to 2 s.
  test('is closed without a credential and with a malformed one, before the body is read', async () => {
    const wrong = [null, 'Bearer', 'Bearer ', `Basic ${adminKey}`, adminKey]
    const asked = routes.flatMap(route => wrong.map(authorization => ({ route, authorization })))
    const seen = await Promise.all(
      asked.map(async ({ route, authorization }) => {
        const { status, code } = await ask(route, authorization)
        return { ...route, status, code }
      }),
    )
    expect(seen).toEqual(asked.map(({ route }) => ({ ...route, status: 401, code: refusals[route.door] })))
  }, 60_000)

  test('is closed to the credentials of other doors and to those no longer in force', async () => {
    const asked = routes.flatMap(route =>
      [...secrets.keys()].filter(name => !accepted[route.door].includes(name)).map(name => ({ route, name })),
    )
    const seen = await Promise.all(
      asked.map(async ({ route, name }) => {
        const { status, code, text } = await ask(route, `Bearer ${secretOf(name)}`)
        expect(text).not.toContain(secretOf(name).slice(4))
        return { ...route, name, status, code }
      }),
    )
    const codeFor = (door: Door, name: string) =>
      name === 'blocked key' && door === 'gateway' ? 'key_blocked' : refusals[door]
    expect(seen).toEqual(
      asked.map(({ route, name }) => ({ ...route, name, status: 401, code: codeFor(route.door, name) })),
    )
  }, 60_000)

  test('is open to its own credentials', async () => {
    for (const route of routes) {
      for (const name of accepted[route.door]) {
        const { status } = await ask(route, `Bearer ${secretOf(name)}`)
        expect({ ...route, name, isClosed: status === 401 }).toEqual({ ...route, name, isClosed: false })
      }
    }
  }, 60_000)
})

test('what was refused has changed nothing: no audit row, no charge, no entry', async () => {
  const page = (await (await fairgate.manage.call('GET', '/audit?limit=200')).json()) as {
    items: { action: string; target: string }[]
  }
  // The rows of beforeAll, and nothing else.
  expect(page.items.map(item => item.action).sort()).toEqual(
    [
      'team.new',
      'team.new',
      'key.generate',
      'key.generate',
      'key.generate',
      'key.block',
      'log_token.generate',
      'log_token.generate',
      'log_token.generate',
      'log_token.revoke',
    ].sort(),
  )
  expect(await readCharges(fairgate.place, 'team-a')).toEqual([])
  expect(await readAllEntries(fairgate.logbookUrl, secretOf('log token of team A'))).toEqual([])
})

describe('another team', () => {
  const get = async (url: string, name: string) => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${secretOf(name)}` } })
    return { status: response.status, text: await response.text() }
  }

  test("sees neither a team's record nor its keys, spend or entries", async () => {
    const chat = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretOf('key of team A')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect(chat.status).toBe(200)
    await ingest(fairgate.logbookUrl, secretOf('log token of team A'), [
      { ...sampleEntry, prompt: 'of team A only' },
    ])

    const foreign = await get(`${fairgate.gatewayUrl}/team/info?team_id=team-a`, 'key of team B')
    expect(foreign.status).toBe(403)
    expect(foreign.text).toContain('other_team')
    const unknown = await get(`${fairgate.gatewayUrl}/team/info?team_id=nobody`, 'key of team B')
    // A team that is not there answers the same: nobody can find out which teams there are.
    expect(unknown.status).toBe(403)
    const own = await get(`${fairgate.gatewayUrl}/team/info?team_id=team-b`, 'key of team B')
    expect(own.text).toContain('"spend":0,')
    expect(own.text).not.toContain('team-a')
    const key = await get(`${fairgate.gatewayUrl}/key/info`, 'key of team B')
    expect(JSON.parse(key.text)).toMatchObject({ info: { team_id: 'team-b', spend: 0 } })
    const entries = await get(`${fairgate.logbookUrl}/api/ingest/entries`, 'log token of team B')
    expect(JSON.parse(entries.text)).toEqual({ items: [], next_before: null })
  })

  test('cannot write into a board by naming its team', async () => {
    const reply = await ingest(fairgate.logbookUrl, secretOf('log token of team B'), [
      { ...sampleEntry, prompt: 'from team B', team_id: 'team-a', team: 'team-a' },
    ])
    expect(reply.status).toBe(202)
    const prompts = async (name: string) =>
      (await readAllEntries(fairgate.logbookUrl, secretOf(name))).map(({ prompt }) => prompt)
    expect(await prompts('log token of team A')).toEqual(['of team A only'])
    expect(await prompts('log token of team B')).toEqual(['from team B'])
  })
})
