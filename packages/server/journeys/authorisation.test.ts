// suite: 8 s
// Authorisation: every route of every door, as its document lists them, with every wrong credential.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  buildWorkingRequest,
  codeOf,
  credentialFor,
  type DoorRoute,
  doorNames,
  isPassThrough,
  listDoorRoutes,
  type NamedValues,
  readReply,
  sendRouted,
} from './testing/door-routes.ts'
import { ingest, readAllEntries, sampleEntry } from './testing/logbook-client.ts'
import { adminKey, type Fairgate, startFairgate, upstreamKey } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

type Door = 'gateway' | 'logbook' | 'admin'
type Route = Pick<DoorRoute, 'door' | 'method' | 'path' | 'credentialHeader' | 'credentialHeaders'>

let fairgate: Fairgate
let clients = 0
/** Each attempt comes from its own address, or the door would slow them down, up to 2 s each. */
const fromElsewhere = () => {
  clients += 1
  return { 'x-forwarded-for': `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}` }
}
let routes: Route[]
const secrets = new Map<string, string>()
const secretOf = (name: string) => secrets.get(name) ?? ''
const urlOf = (door: Door) => {
  if (door === 'gateway') return fairgate.gatewayUrl
  return door === 'logbook' ? fairgate.logbookUrl : fairgate.adminUrl
}

async function listRoutes(): Promise<Route[]> {
  return (await listDoorRoutes(fairgate)).map(
    ({ door, method, path, credentialHeader, credentialHeaders }) => ({
      door,
      method,
      path: path.replaceAll(/\{[^}]+\}/g, 'x'),
      credentialHeader,
      credentialHeaders,
    }),
  )
}

beforeAll(async () => {
  fairgate = await startFairgate({ variables: { FAIRGATE_TRUSTED_PROXIES: '127.0.0.0/8' } })
  const { manage } = fairgate
  secrets.set('key of team A', await manage.team('team-a', { max_budget: 1 }))
  secrets.set('key of team B', await manage.team('team-b', { max_budget: 10 }))
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
  routes = await listRoutes()
})
afterAll(() => fairgate.stop())

/** The body is hostile on purpose: it must not be parsed for a caller without access. */
async function ask({ door, method, path }: Route, credential: Readonly<Record<string, string>>) {
  const response = await fetch(`${urlOf(door)}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...credential, ...fromElsewhere() },
    ...(method === 'GET' ? {} : { body: '{"not json' }),
  })
  const text = await readReply(response)
  return { status: response.status, code: codeOf(text), text }
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

test('spec 5: the documents list the routes of all doors', () => {
  const count = (door: Door) => routes.filter(route => route.door === door).length
  expect(count('gateway')).toBeGreaterThanOrEqual(9)
  expect(count('logbook')).toBe(3)
  expect(count('admin')).toBeGreaterThanOrEqual(18)
})

describe('spec 5: every route', () => {
  // Each route meets one credential that is not its own, malformed or foreign, the next route another one. All of them, with requests that
  // would work, follow below. All at once: an address that keeps failing is answered more and more slowly, each time up to 2 s.
  test('is closed without a credential and with a wrong one, before the body is read', async () => {
    const malformed = ['Bearer', 'Bearer ', `Basic ${adminKey}`, adminKey]
    const asked = routes.flatMap((route, number) => {
      const foreign = [...secrets.keys()].filter(
        name => !accepted[route.door].includes(name) && name !== 'blocked key',
      )
      const wrong = [
        ...malformed.map(value => ({ [route.credentialHeader]: value })),
        ...foreign.map(name => credentialFor(route, secretOf(name))),
      ]
      return [{}, wrong[number % wrong.length] ?? {}].map(credential => ({ route, credential }))
    })
    const seen = await Promise.all(
      asked.map(async ({ route, credential }) => {
        const { status, code } = await ask(route, credential)
        return { ...route, status, code }
      }),
    )
    expect(seen).toEqual(asked.map(({ route }) => ({ ...route, status: 401, code: refusals[route.door] })))
  }, 300_000)

  test('is open to its own credentials, in each header that its document lists', async () => {
    for (const route of routes) {
      for (const name of accepted[route.door]) {
        for (const credentialHeader of route.credentialHeaders) {
          const { status } = await ask(route, credentialFor({ credentialHeader }, secretOf(name)))
          const at = { ...route, credentialHeader, name }
          expect({ ...at, isClosed: status === 401 }).toEqual({ ...at, isClosed: false })
        }
      }
    }
  }, 300_000)

  test('of a dialect takes a key in the headers of all clients; below /vendor never as bearer token', () => {
    const dialects = routes.filter(({ door, path }) => door === 'gateway' && !path.startsWith('/self'))
    const own = ({ path }: Route) => (path.startsWith('/vendor/') ? ['x-vendor-api-key'] : ['authorization'])
    const missing = dialects.filter(route =>
      [...own(route), 'api-key', 'x-api-key', 'x-goog-api-key'].some(
        name => !route.credentialHeaders.includes(name),
      ),
    )
    expect(missing).toEqual([])
    expect(
      dialects.filter(
        ({ path, credentialHeaders }) =>
          path.startsWith('/vendor/') && credentialHeaders.includes('authorization'),
      ),
    ).toEqual([])
  })
})

test('spec 5: refused requests changed nothing: no audit row, no charge, no entry', async () => {
  const page = (await (await fairgate.manage.call('GET', '/audit?limit=200')).json()) as {
    items: { action: string; target: string }[]
  }
  // The rows of beforeAll, the one reload with the admin key above (it takes no body that could be wrong), and nothing else.
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
      'catalog.reload',
    ].sort(),
  )
  expect(await readCharges(fairgate.place, 'team-a')).toEqual([])
  expect(await readAllEntries(fairgate.logbookUrl, secretOf('log token of team A'))).toEqual([])
})

describe('spec 5.3: another team', () => {
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
    // An unknown team gets the same answer, so that no one can find out which teams exist.
    expect(unknown.status).toBe(403)
    const own = await get(`${fairgate.gatewayUrl}/team/info?team_id=team-b`, 'key of team B')
    expect(own.text).toContain('"spend":0,')
    expect(own.text).not.toContain('team-a')
    const key = await get(`${fairgate.gatewayUrl}/key/info`, 'key of team B')
    expect(JSON.parse(key.text)).toMatchObject({ info: { team_id: 'team-b', spend: 0 } })
    const named = (reference: string) =>
      get(`${fairgate.gatewayUrl}/key/info?key=${reference}`, 'key of team B')
    const ownKey = secretOf('key of team B')
    for (const reference of [ownKey, hashOf(ownKey), '']) expect((await named(reference)).text).toBe(key.text)
    // Another key of the same team is no exception, and an unknown key gets the same answer.
    const sibling = await fairgate.manage.key('team-b')
    const others = [secretOf('key of team A'), hashOf(sibling), 'sk-nobody'].map(named)
    const [ofOther, ofSibling, ofNobody] = await Promise.all(others)
    expect(ofOther).toMatchObject({ status: 404 })
    expect(JSON.parse(ofOther?.text ?? '')).toMatchObject({ error: { code: 'key_not_found', param: 'key' } })
    expect([ofSibling?.text, ofNobody?.text]).toEqual([ofOther?.text, ofOther?.text])
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

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

// That they would work with the right credential is shown by reference.test.ts, which sends the same requests.
describe('spec 5.5: otherwise valid requests', () => {
  let listed: DoorRoute[]
  let valuesOfA: NamedValues
  /** Gateway keys that no longer work → the error code. */
  const ended = new Map<string, string>()
  let narrow: string
  beforeAll(async () => {
    const { manage } = fairgate
    listed = await listDoorRoutes(fairgate)
    const expiring = await manage.key('team-a', { duration: '1s' })
    const { token_id } = await manage.token('team-a')
    const key = secretOf('key of team A')
    valuesOfA = {
      team_id: 'team-a',
      key: hashOf(key),
      keys: [hashOf(key)],
      team_ids: ['team-a'],
      token_id,
      id: 'mm-2.5-flash',
      video_id: 'video_of_nobody',
      call_id: 'call-of-nobody',
      operation: 'of-nobody',
      file: 'of-nobody',
      entries: [sampleEntry],
      entry: 1,
      name: 'Nobody',
      subject: 'team',
      text: 'Ask about the tests.',
      teams: ['team-a'],
      member_id: 'mb_nobody',
      claim_id: 'cl_nobody',
      digest: '0'.repeat(64),
      apply: false,
      ...{ question: 'Who?', decision: 'No effect.', reason: 'A test.', case_id: 'case_of_nobody' },
    }
    const deleted = await manage.key('team-a')
    await manage.post('/key/delete', { keys: [deleted] })
    ended.set(deleted, 'invalid_api_key')
    ended.set(await manage.team('team-blocked', { blocked: true }), 'team_blocked')
    ended.set(secretOf('blocked key'), 'key_blocked')
    ended.set(expiring, 'key_expired')
    while ((await fetch(`${fairgate.gatewayUrl}/key/info`, { headers: bearer(expiring) })).ok)
      await Bun.sleep(20)
    narrow = await manage.key('team-a', { allowed_routes: ['/v1/models'] })
    before = await snapshot()
  })

  const requestFor = (route: DoorRoute) => buildWorkingRequest(fairgate, route, valuesOfA)
  const nameOf = ({ door, method, path }: DoorRoute) => `${door} ${method} ${path}`

  /** These also show refused calls and the current time; the list of sessions may be a minute old. */
  const moving = [
    '/attention',
    '/calls',
    '/coverage',
    '/overview',
    '/teams',
    '/upstreams',
    '/stream',
    '/series/refusals',
    '/sessions',
    '/timeline',
    '/logbook',
    '/readiness',
    '/spend/forecast',
    '/spend/logs',
  ]
  const isMoving = (path: string) => moving.includes(path)

  /** Everything that could change, as text. */
  async function snapshot(): Promise<string[]> {
    const reads = listed.filter(
      ({ door, method, path }) => door === 'admin' && method === 'GET' && !isMoving(path),
    )
    const replies = await Promise.all(reads.map(route => sendRouted(requestFor(route), bearer(adminKey))))
    const entries = await readAllEntries(fairgate.logbookUrl, secretOf('log token of team A'))
    const charges = await readCharges(fairgate.place, 'team-a')
    const { calls } = fairgate.sandbox.counters()
    // The instant of the answer, how long it took, since when nothing was spent, and refused calls, which are counted a moment later.
    const instants = /"gaps":\[[^\]]*\]|"(?:as_of|from|until|checked_at)":"[^"]*"|"(?:took_ms|refused)":\d+/g
    const texts = replies.map(({ text }) => text.replaceAll(instants, ''))
    return [...texts, JSON.stringify({ entries, charges, calls })]
  }

  /** The state before the first of these tests. */
  let before: string[]
  const expectUnchanged = async () => expect(await snapshot()).toEqual(before)

  /** Sends each route's request with each of these headers; returns those that were not refused as expected. */
  async function findWrong(
    routesAsked: readonly DoorRoute[],
    headerSetsFor: (route: DoorRoute) => readonly Readonly<Record<string, string>>[],
    codeFor: (route: DoorRoute, headers: Readonly<Record<string, string>>) => string,
  ): Promise<string[]> {
    const wrong = routesAsked.flatMap(route =>
      headerSetsFor(route).map(async headers => {
        const { status, code } = await sendRouted(requestFor(route), { ...headers, ...fromElsewhere() })
        return status === 401 && code === codeFor(route, headers)
          ? []
          : [`${nameOf(route)} with ${JSON.stringify(headers)}: ${status} ${code}`]
      }),
    )
    return (await Promise.all(wrong)).flat()
  }

  // Up to 250 requests at once: more are queued by this process, and each refusal may take 2 s.
  test('change nothing with credentials of other doors or expired ones', async () => {
    const wrong = doorNames.map(door =>
      findWrong(
        listed.filter(route => route.door === door),
        route => {
          // A blocked key is refused on the gateway by its own code, below.
          const foreign = [...secrets.keys()].filter(
            name => !accepted[door].includes(name) && !(door === 'gateway' && name === 'blocked key'),
          )
          return [{}, ...foreign.map(name => credentialFor(route, secretOf(name)))]
        },
        () => refusals[door],
      ),
    )
    expect((await Promise.all(wrong)).flat()).toEqual([])
    await expectUnchanged()
  }, 300_000)

  test('change nothing with a key that is deleted, blocked, expired, or of a blocked team', async () => {
    const wrong = await findWrong(
      listed.filter(({ door }) => door === 'gateway'),
      route => [...ended.keys()].map(secret => credentialFor(route, secret)),
      ({ credentialHeader }, headers) =>
        ended.get((headers[credentialHeader] ?? '').replace('Bearer ', '')) ?? '',
    )
    expect(wrong).toEqual([])
    await expectUnchanged()
  }, 300_000)

  test('change nothing with the right credential in the wrong place or form', async () => {
    const formsOf = (route: DoorRoute, secret: string): Record<string, string>[] => [
      ...elsewhere(route, secret),
      ...wrongForms(secret).map(value => ({ [route.credentialHeader]: value })),
    ]
    const elsewhere = (route: DoorRoute, secret: string): Record<string, string>[] => [
      // The headers of other routes.
      ...['authorization', 'api-key', 'x-api-key', 'x-goog-api-key', 'x-vendor-api-key']
        .filter(name => !route.credentialHeaders.includes(name))
        .map(credentialHeader => credentialFor({ credentialHeader }, secret)),
      { 'proxy-authorization': `Bearer ${secret}` },
      { cookie: `authorization=Bearer ${secret}` },
    ]
    const wrongForms = (secret: string): string[] => [
      `Token ${secret}`,
      `Bearer ${secret} ${secret}`,
      `Bearer nonsense, Bearer ${secret}`,
      `Bearer "${secret}"`,
      `Bearer ${secret}x`,
      `Bearer ${secret.slice(0, -1)}`,
      `Bearer ${secret.toUpperCase()}`,
      `${secret}, ${secret}`,
    ]
    const wrong = listed.map((route, number) => {
      // Each route meets a quarter of the forms, the next one another quarter.
      const forms = formsOf(route, secretOf(accepted[route.door][0] ?? ''))
      return findWrong(
        [route],
        () => forms.filter((_, form) => form % 4 === number % 4),
        () => refusals[route.door],
      )
    })
    expect((await Promise.all(wrong)).flat()).toEqual([])
    await expectUnchanged()
  }, 300_000)

  test('are not let in by another spelling of the path or another method', async () => {
    const spellings = (path: string) => [
      `/${path}`,
      `${path}/`,
      path.toUpperCase(),
      `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
      `${path};x`,
      `${path}%00`,
      `/docs/..${path}`,
      `/docs/%2e%2e${path}`,
      `/health/live/..%2f..${path}`,
      `/.${path}`,
      `${path}#/docs`,
    ]
    // Each route meets a quarter of them, the next one another quarter.
    const asked = listed.flatMap((route, number) => {
      const { url, method, body } = requestFor(route)
      const { origin, pathname, search } = new URL(url)
      const respelled = spellings(pathname).map(path => ({ url: `${origin}${path}${search}`, method, body }))
      const methods = ['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']
      const all = [...respelled, ...methods.map(other => ({ url, method: other, body: null }))]
      return all.filter((_, place) => place % 4 === number % 4)
    })
    const seen = await Promise.all(
      asked.map(async request => ({ request, reply: await sendRouted(request, fromElsewhere()) })),
    )
    const letIn = seen.filter(({ request, reply: { status, text } }) => {
      if (status === 401 || status === 404 || status === 405) return false
      return !(request.method === 'OPTIONS' && status === 204 && text === '')
    })
    expect(letIn).toEqual([])
    await expectUnchanged()
  }, 300_000)

  test('are refused on every path that the key cannot call, with a code that the document lists', async () => {
    const unlisted: string[] = []
    for (const route of listed.filter(({ door }) => door === 'gateway')) {
      const { status, code } = await sendRouted(requestFor(route), credentialFor(route, narrow))
      const isAllowed = route.path === '/v1/models' || route.path === '/models'
      expect([nameOf(route), status, code]).toEqual(
        isAllowed ? [nameOf(route), 200, null] : [nameOf(route), 403, 'route_not_allowed'],
      )
      if (!isAllowed && !route.codes.includes(code ?? '')) unlisted.push(`${nameOf(route)}: ${code}`)
    }
    // Shown to fail: the document of /team/info did not list `route_not_allowed`.
    expect(unlisted).toEqual([])
    await expectUnchanged()
  })

  test('show one team nothing of another, even if they name its ids', async () => {
    const { manage } = fairgate
    const marks = [
      'alias-of-team-c',
      'metadata-of-team-c',
      'alias-of-key-c',
      'prompt-of-team-c',
      '0.123456789',
    ]
    const key = await manage.team(
      'team-c',
      { team_alias: marks[0], metadata: { mark: marks[1] }, max_budget: 0.123456789 },
      { key_alias: marks[2] },
    )
    const { token, token_id } = await manage.token('team-c')
    await ingest(fairgate.logbookUrl, token, [{ ...sampleEntry, prompt: marks[3] }])
    const named = {
      team_id: 'team-c',
      key: hashOf(key),
      token_id,
      id: 'mm-2.5-flash',
      session_id: 'session-1',
    }
    const own = { ...named, team_id: 'team-b' }
    const naming = (values: Readonly<Record<string, string>>) => new URLSearchParams(values).toString()
    const queries = [naming(named), `${naming(own)}&${naming(named)}`, `${naming(named)}&${naming(own)}`, '']
    for (const route of listed.filter(({ door, method }) => door !== 'admin' && method === 'GET')) {
      const secret = secretOf(route.door === 'gateway' ? 'key of team B' : 'log token of team B')
      for (const query of queries) {
        const { url, method } = buildWorkingRequest(fairgate, route, named)
        const asked = { url: `${url.split('?')[0]}?${query}`, method, body: null }
        const { text, status } = await sendRouted(asked, {
          ...credentialFor(route, secret),
          'x-team-id': 'team-c',
        })
        expect(status).not.toBe(401)
        for (const mark of [...marks, hashOf(key), token_id, 'team-c']) expect(text).not.toContain(mark)
      }
    }
  })

  test("are charged to the key's team, whichever team the body and headers name", async () => {
    const names = { team_id: 'team-a', team: 'team-a', user: 'team-a', metadata: { team_id: 'team-a' } }
    const countCharges = async (teamId: string) => (await readCharges(fairgate.place, teamId)).length
    const before = [await countCharges('team-a'), await countCharges('team-b')] as const
    // Requests of the team page and uploads in pieces cost nothing.
    const calls = listed.filter(
      ({ door, method, path }) =>
        door === 'gateway' && method === 'POST' && !/^\/self\/|\/upload\//.test(path),
    )
    for (const route of calls) {
      const request = requestFor(route)
      const body = claimTeam(request.body, names)
      const headers = { ...credentialFor(route, secretOf('key of team B')), 'x-team-id': 'team-a' }
      // The pass-through refuses unknown members.
      const isStrict = isPassThrough(route)
      expect((await sendRouted({ ...request, body }, headers)).status).toBe(isStrict ? 400 : 200)
      if (isStrict) expect((await sendRouted(request, headers)).status).toBe(200)
    }
    expect(await countCharges('team-a')).toBe(before[0])
    expect(await countCharges('team-b')).toBe(
      before[1] + calls.filter(({ path }) => !/(:countTokens|\/count_tokens|\/files)$/.test(path)).length,
    )
  })
})

/** The same body with members that name another team. */
function claimTeam(
  body: string | FormData | null,
  names: Readonly<Record<string, unknown>>,
): string | FormData {
  if (!(body instanceof FormData)) return JSON.stringify({ ...JSON.parse(body ?? '{}'), ...names })
  for (const [name, value] of Object.entries(names)) body.append(name, JSON.stringify(value))
  return body
}

test('spec 5.4: what is open to everyone names no team, key, token or secret', async () => {
  const pages = ['/', '/docs', '/docs/docs.css', '/openapi.json', '/health/live', '/health/ready', '/metrics']
  for (const door of doorNames) {
    for (const page of pages) {
      const response = await fetch(`${urlOf(door)}${page}`, { redirect: 'manual' })
      // Names of built files end in a hash, which can begin with the rest of a team's id.
      const text = (await response.text()).replaceAll(/\/page\/[\w-]+\.\w+/g, '')
      const isMissing = page === '/metrics' && door !== 'admin'
      const leadsOn = page === '/' && door !== 'gateway'
      expect([door, page, response.status]).toEqual([door, page, isMissing ? 404 : leadsOn ? 302 : 200])
      for (const reported of ['team-a', 'team-b', adminKey, upstreamKey, hashOf(secretOf('key of team A'))]) {
        expect(text).not.toContain(reported)
      }
    }
  }
})
