// suite: 16 s
// Admin access: every route of the admin door with every role, page sessions, and links that sign in once.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import type { JudgeCodesReply } from '@fairgate/contracts/judging/codes.ts'
import type { JudgeList } from '@fairgate/contracts/judging/panel.ts'
import { type JudgingSetup, judgingSetupExample } from '@fairgate/contracts/judging/setup.ts'
import type { AdminSession, NewAdminKeyReply, SignInLink } from '@fairgate/contracts/management/access.ts'
import type { GeneratedLogToken } from '@fairgate/contracts/management/log-tokens.ts'
import type { PersonReply } from '@fairgate/contracts/management/people.ts'
import { type Role, roles } from '@fairgate/contracts/management/roles.ts'
import { startServer } from '../src/main.ts'
import { type Column, columns, writeAccessPage } from './testing/access-table.ts'
import { codeOf, credentialFor, type DoorRoute, listEveryRoute, readReply } from './testing/door-routes.ts'
import { ingest, sampleEntry } from './testing/logbook-client.ts'
import { adminKey, createSurroundings, type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let now = Date.parse('2026-11-21T09:00:00Z')
let clients = 0
/** Each attempt comes from its own address, because the door slows down and refuses one that keeps failing. */
const fromElsewhere = () => {
  clients += 1
  return { 'x-forwarded-for': `10.9.${(clients >> 8) & 255}.${clients & 255}` }
}
beforeAll(async () => {
  fairgate = await startFairgate({ variables: { FAIRGATE_TRUSTED_PROXIES: '127.0.0.0/8' } }, () => now)
})
afterAll(() => fairgate.stop())

const json = { 'content-type': 'application/json' }
type Headers = Readonly<Record<string, string>>

async function makeKey(name: string, role: string): Promise<NewAdminKeyReply> {
  return fairgate.manage.post<NewAdminKeyReply>('/admin_keys', { name, role })
}

async function ask(method: string, path: string, headers: Headers, body?: object) {
  const response = await fetch(`${fairgate.adminUrl}${path}`, {
    method,
    headers: { ...fromElsewhere(), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, code: codeOf(text), text, headers: response.headers }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function signIn(body: object, headers: Headers = {}) {
  const reply = await ask('POST', '/session', { ...json, ...headers }, body)
  const set = reply.headers.get('set-cookie') ?? ''
  return { ...reply, set, cookie: set.split(';')[0] ?? '' }
}

/** Headers that a page of the door sends. */
const ownPage = { ...json, 'sec-fetch-site': 'same-origin' }
const session = (text: string): AdminSession => JSON.parse(text)

const accessPage = resolve(import.meta.dir, '../../../docs/access-table.md')

async function makeKeys(): Promise<Record<Role, string>> {
  const made = roles.map(async role => [role, (await makeKey(`The ${role} of the table`, role)).key] as const)
  return Object.fromEntries(await Promise.all(made)) as Record<Role, string>
}

/** Adds a judge, who signs in with a claim link. Returns the cookie. */
async function enterPanel(name: string): Promise<string> {
  const { items } = await fairgate.manage.post<JudgeList>('/judging/judges', { judges: [{ name }] })
  const judges = items.filter(judge => judge.name === name).map(({ judge_id }) => judge_id)
  const made = await fairgate.manage.post<JudgeCodesReply>('/judging/codes', { judges })
  const reply = await ask('POST', '/judging/sign-in', json, { code: made.items[0]?.code })
  return reply.headers.get('set-cookie')?.split(';')[0] ?? ''
}

async function putSetup(changes: Partial<JudgingSetup>): Promise<void> {
  const setup = { ...judgingSetupExample, ...changes }
  const reply = await ask('PUT', '/judging/setup', { ...json, ...bearer(adminKey) }, { setup })
  expect(reply.status).toBe(200)
}

/** The body is hostile on purpose: it must not be parsed for a caller without access. The parameters are there, or wrong, so that nothing changes. */
async function sendHostile({ door, method, path }: DoorRoute, headers: Headers) {
  // On the gateway `key` is a credential.
  const query = door === 'admin' ? '?team_id=x&key=x&user_id=x&entry=1&topics=event&q=x&everywhere=x' : ''
  const response = await fetch(`${fairgate[`${door}Url`]}${path.replaceAll(/\{\w+\}/g, 'x')}${query}`, {
    method,
    headers: { ...json, ...fromElsewhere(), ...headers },
    redirect: 'manual',
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{"not json' }),
  })
  const text = await readReply(response)
  return { status: response.status, code: codeOf(text), text }
}

describe('roles', () => {
  // The page is the list of what was intended: read its changes like those of a test.
  test('each route answers the callers of its row in docs/access-table.md, and refuses the others before the body', async () => {
    const key = await makeKeys()
    const { manage } = fairgate
    await manage.team('of-table', {})
    const member = await manage.post<PersonReply>('/people', { team_id: 'of-table', name: 'Mina' })
    const memberKey = await manage.key('of-table', { member_id: member.member_id })
    const { token } = await manage.post<GeneratedLogToken>('/log_token/generate', {
      team_id: 'of-table',
      member_id: member.member_id,
    })
    const panel = { cookie: await enterPanel('Judge of the table'), ...ownPage }
    const routes = await listEveryRoute(fairgate)
    const withKey = (secret: string) => (route: DoorRoute) =>
      route.isOpen ? {} : credentialFor(route, secret)
    const withPanel = () => panel
    type Callers = Readonly<Partial<Record<Column, (route: DoorRoute) => Headers>>>
    const listSeen = (callers: Callers): Promise<Column[][]> =>
      Promise.all(
        routes.map(async route => {
          const asked = columns.map(async column => {
            const headers = callers[column]?.(route)
            if (headers === undefined) return []
            const { status, code } = await sendHostile(route, headers)
            return status === 401 || code === 'admin_forbidden' ? [] : [column]
          })
          return (await Promise.all(asked)).flat()
        }),
      )
    const open = await listSeen({
      nobody: () => ({}),
      team: route => withKey(route.door === 'logbook' ? token : memberKey)(route),
      'panel judge': withPanel,
      judge: withKey(key.judge),
      'head judge': withKey(key.head_judge),
      operator: withKey(key.operator),
      organiser: withKey(key.organiser),
    })
    await putSetup({ blind: true })
    const blind = await listSeen({
      'panel judge': withPanel,
      'blind judge': withKey(key.judge),
      'head judge': withKey(key.head_judge),
    })
    await putSetup({})
    const rows = routes.map(({ door, method, path }, at) => ({
      door,
      method,
      path,
      letsIn: new Set([...(open[at] ?? []), ...(blind[at] ?? [])]),
    }))
    // A claim link and the key of a head judge open the same, blind or not.
    for (const [at, row] of rows.entries())
      for (const column of ['panel judge', 'head judge'] as const)
        expect([row.path, blind[at]?.includes(column)]).toEqual([row.path, open[at]?.includes(column)])
    // So many failures would slow down those of the other tests.
    now += 61_000
    const page = writeAccessPage(rows)
    if (process.env.UPDATE_ACCESS !== undefined) await Bun.write(accessPage, page)
    expect(page).toBe(await Bun.file(accessPage).text())
  }, 300_000)

  // Shown to fail when `everyone` lets in panel judges.
  test('a claim link opens /judging and /session, and nothing else', async () => {
    const panel = { cookie: await enterPanel('Judge of one door'), ...ownPage }
    const routes = (await listEveryRoute(fairgate)).filter(({ door, isOpen }) => door === 'admin' && !isOpen)
    const wrong = await Promise.all(
      routes.map(async route => {
        const { method, path, onlyFor } = route
        const mayOpen =
          path === '/session' || (path.startsWith('/judging/') && onlyFor === 'judges of the panel')
        const { status, code, text } = await sendHostile(route, panel)
        const isRefused = status === 403 && code === 'admin_forbidden'
        return isRefused === mayOpen ? [`${method} ${path}: ${status} ${text}`] : []
      }),
    )
    expect(wrong.flat()).toEqual([])
  })

  test('a refusal names the roles that can, judges see no addresses, and a stream sends only what the role can read', async () => {
    const { key } = await makeKey('Judge of refusals', 'judge')
    const refused = await ask('POST', '/team/new', { ...json, ...bearer(key) }, { team_id: 'x' })
    expect(refused).toMatchObject({ status: 403, code: 'admin_forbidden' })
    expect(refused.text).toContain('Use the key of an organiser.')
    const secret = await fairgate.manage.team('addresses', { max_budget: 1 })
    await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...json, ...bearer(secret) },
      body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    const addressFor = async (headers: Headers) =>
      JSON.parse((await ask('GET', '/calls?team_id=addresses', headers)).text).items[0].client_address
    expect(await addressFor(bearer(adminKey))).toBe('127.0.0.1')
    expect(await addressFor(bearer(key))).toBeNull()
    const { token } = await fairgate.manage.token('addresses')
    expect((await ingest(fairgate.logbookUrl, token, [sampleEntry])).status).toBe(202)
    for (const path of ['/logs/entries', '/logs/entry', '/logs/export.ndjson', '/logs/export.csv']) {
      const whole = `${path}?team_id=addresses${path === '/logs/entry' ? '&entry=1' : ''}`
      expect((await ask('GET', whole, bearer(adminKey))).text).toContain('127.0.0.1')
      const seen = await ask('GET', whole, bearer(key))
      expect(seen.status).toBe(200)
      expect(seen.text).not.toContain('127.0.0.1')
    }
    expect(await ask('GET', '/stream?topics=stats,readiness', bearer(key))).toMatchObject({ status: 403 })
    const operator = (await makeKey('Operator of streams', 'operator')).key
    for (const topics of ['teams', 'team:addresses', 'calls', 'calls:addresses', 'session:addresses/x'])
      expect(await ask('GET', `/stream?topics=${topics}`, bearer(operator))).toMatchObject({ status: 403 })
  })
})

describe('admin keys', () => {
  test('their names are in the audit log, and names are unique', async () => {
    const made = await makeKey('Mateo Alvarez', 'organiser')
    expect(made.key).toMatch(/^adm-[0-9A-Za-z]{39}$/)
    await ask('POST', '/team/new', { ...json, ...bearer(made.key) }, { team_id: 'of-mateo' })
    const audit = await ask('GET', '/audit?limit=2', bearer(adminKey))
    expect(JSON.parse(audit.text).items).toMatchObject([
      { action: 'team.new', actor: 'Mateo Alvarez' },
      { action: 'admin_key.create', actor: 'admin', target: made.key_id },
    ])
    expect(audit.text).not.toContain(made.key)
    for (const name of ['mateo  alvarez', 'Admin'])
      expect(
        await ask('POST', '/admin_keys', { ...json, ...bearer(adminKey) }, { name, role: 'judge' }),
      ).toMatchObject({ status: 409, code: 'conflict' })
    const listed = await ask('GET', '/admin_keys', bearer(adminKey))
    expect(listed.text).not.toContain(made.key)
    expect(listed.text).toContain(made.key_name)
  })

  // Shown to fail if the statement leaves it to the unique index: one of the two got a 500.
  test('two created with one name at once: one succeeds, the other is refused as taken', async () => {
    const made = [await makeKey('First of two', 'judge'), await makeKey('Second of two', 'judge')]
    const renames = made.map(({ key_id }) =>
      ask('POST', `/admin_keys/${key_id}`, { ...json, ...bearer(adminKey) }, { name: 'One of two' }),
    )
    const replies = (await Promise.all(renames)).sort((one, other) => one.status - other.status)
    expect(replies).toMatchObject([{ status: 200 }, { status: 409, code: 'conflict' }])
    expect(replies[1]?.text).toContain('There is already an admin key named')
  })

  test('a damaged key and an unknown one get different errors', async () => {
    const { key } = await makeKey('Typed', 'judge')
    const messageFor = async (wrong: string) => (await ask('GET', '/session', bearer(wrong))).text
    expect(await messageFor(key.slice(0, -2))).toContain('is cut off: 2 characters are missing')
    expect(await messageFor(`${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`)).toContain('is mistyped')
    expect(await messageFor('sk-nobody')).toContain('Gateway keys and log tokens do not work here.')
  })

  test('blocking, a new secret and deleting work at once, and end the sessions', async () => {
    const { key, key_id } = await makeKey('Comes and goes', 'organiser')
    const change = (body: object) =>
      ask('POST', `/admin_keys/${key_id}`, { ...json, ...bearer(adminKey) }, body)
    const statusWith = async (headers: Headers) => (await ask('GET', '/session', headers)).status
    const { cookie } = await signIn({ key })
    expect([await statusWith(bearer(key)), await statusWith({ cookie })]).toEqual([200, 200])
    await change({ blocked: true })
    expect([await statusWith(bearer(key)), await statusWith({ cookie })]).toEqual([401, 401])
    await change({ blocked: false, name: 'Came back', role: 'judge' })
    expect([await statusWith(bearer(key)), await statusWith({ cookie })]).toEqual([200, 401])
    expect(session((await ask('GET', '/session', bearer(key))).text)).toEqual({
      name: 'Came back',
      role: 'judge',
      judge_id: null,
      expires_at: null,
      blind: false,
    })
    const second = await signIn({ key })
    const renewed = await fairgate.manage.post<NewAdminKeyReply>(`/admin_keys/${key_id}/regenerate`, {})
    expect([await statusWith(bearer(key)), await statusWith({ cookie: second.cookie })]).toEqual([401, 401])
    expect(await statusWith(bearer(renewed.key))).toBe(200)
    await ask('DELETE', `/admin_keys/${key_id}?reason=left`, bearer(adminKey))
    expect(await statusWith(bearer(renewed.key))).toBe(401)
    expect(await ask('DELETE', `/admin_keys/${key_id}`, bearer(adminKey))).toMatchObject({
      status: 404,
      code: 'admin_key_not_found',
    })
  })
})

describe('sessions', () => {
  test('signs in with an HttpOnly cookie, which is Secure on TLS', async () => {
    const plain = await signIn({ key: adminKey })
    expect(plain.set).toMatch(/^fairgate_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(session(plain.text)).toEqual({
      name: 'admin',
      role: 'organiser',
      judge_id: null,
      expires_at: new Date(now + 12 * 3_600_000).toISOString(),
      blind: false,
    })
    const secure = await signIn({ key: adminKey }, { 'x-forwarded-proto': 'https' })
    expect(secure.set).toEndWith('; SameSite=Strict; Secure')
    const teams = await ask('GET', '/team/list', { cookie: plain.cookie })
    expect(teams.status).toBe(200)
  })

  test('changes must come from a page of the same door, as JSON', async () => {
    const { cookie } = await signIn({ key: adminKey })
    const change = async (headers: Headers) =>
      (await ask('POST', '/announcements', { cookie, ...headers }, { text: 'Hello' })).code
    const { origin } = new URL(fairgate.adminUrl)
    expect(await change({ ...json, 'sec-fetch-site': 'same-origin' })).toBeNull()
    expect(await change({ ...json, origin })).toBeNull()
    for (const headers of [
      json,
      { ...json, origin: 'https://evil.example' },
      { ...json, origin, 'sec-fetch-site': 'same-site' },
      { ...json, 'sec-fetch-site': 'cross-site' },
      { ...json, 'sec-fetch-site': 'none' },
      { 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin' },
    ])
      expect(await change(headers)).toBe('cross_site')
    // A program with a key needs none of this.
    expect(
      (await ask('POST', '/announcements', { ...json, ...bearer(adminKey) }, { text: 'x' })).code,
    ).toBeNull()
    const foreign = await signIn({ key: adminKey }, { 'sec-fetch-site': 'cross-site' })
    expect([foreign.code, foreign.set]).toEqual(['cross_site', ''])
  })

  test('a session lasts twelve hours after its last use', async () => {
    const { cookie } = await signIn({ key: adminKey })
    const status = async () => (await ask('GET', '/session', { cookie })).status
    now += 11 * 3_600_000
    expect(await status()).toBe(200)
    now += 11 * 3_600_000
    expect(await status()).toBe(200)
    now += 12 * 3_600_000
    expect(await status()).toBe(401)
  })

  test('signing out ends one session, or all sessions of the key', async () => {
    const { key } = await makeKey('On three devices', 'judge')
    const [first, second, third] = [await signIn({ key }), await signIn({ key }), await signIn({ key })]
    const status = async ({ cookie }: { readonly cookie: string }) =>
      (await ask('GET', '/session', { cookie })).status
    const signOut = (cookie: string, query = '') => ask('DELETE', `/session${query}`, { ...ownPage, cookie })
    const out = await signOut(first.cookie)
    expect(JSON.parse(out.text)).toEqual({ ended: 1 })
    expect(out.headers.get('set-cookie')).toStartWith('fairgate_session=; Max-Age=0; Path=/')
    expect([await status(first), await status(second)]).toEqual([401, 200])
    expect(JSON.parse((await signOut(second.cookie, '?everywhere=true')).text)).toEqual({ ended: 2 })
    expect([await status(second), await status(third)]).toEqual([401, 401])
  })

  // Shown to fail when guesses are counted before the key is looked up: the right key and the right link were then answered with 429.
  test('a valid key or link signs in after fifty wrong ones from the same address', async () => {
    const hall = { 'x-forwarded-for': '198.51.100.7' }
    const link: SignInLink = JSON.parse(
      (await ask('POST', '/session/link', { ...json, ...bearer(adminKey) }, {})).text,
    )
    const wrong = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        signIn(index % 2 === 0 ? { key: `adm-${index}` } : { once: `once_${index}` }, hall),
      ),
    )
    expect(new Set(wrong.map(({ code }) => code))).toEqual(new Set(['admin_unauthorized']))
    expect((await signIn({ key: adminKey }, hall)).status).toBe(200)
    expect((await signIn({ once: new URL(link.url).hash.replace('#once=', '') }, hall)).status).toBe(200)
    now += 61_000
  })

  test('refuses a body that has neither key nor ticket, or both', async () => {
    for (const body of [{}, { key: 'a', once: 'b' }, { key: null }, { key: '' }, { key: 1 }])
      expect((await signIn(body)).code).toBe('invalid_request')
  })

  test('the live stream accepts the cookie', async () => {
    const { cookie } = await signIn({ key: adminKey })
    const response = await fetch(`${fairgate.adminUrl}/stream?topics=event`, { headers: { cookie } })
    const { value } = (await response.body?.getReader().read()) ?? {}
    expect(new TextDecoder().decode(value)).toContain('event: event')
  })
})

test('a link signs in once, within 15 minutes, with the key that created it', async () => {
  const { key } = await makeKey('Made a link', 'judge')
  const makeLink = async () => {
    const { url }: SignInLink = JSON.parse(
      (await ask('POST', '/session/link', { ...json, ...bearer(key) }, {})).text,
    )
    return new URL(url)
  }
  const link = await makeLink()
  // Browsers do not send the part after the # to any server.
  expect([link.origin, link.pathname, link.search]).toEqual([fairgate.adminUrl, '/console/sign-in', ''])
  const once = link.hash.replace('#once=', '')
  const signedIn = await signIn({ once })
  expect(session(signedIn.text)).toMatchObject({ name: 'Made a link', role: 'judge' })
  const again = await signIn({ once })
  expect([again.code, again.set]).toEqual(['admin_unauthorized', ''])
  const late = (await makeLink()).hash.replace('#once=', '')
  now += 15 * 60_000
  expect((await signIn({ once: late })).code).toBe('admin_unauthorized')
})

test('sessions survive a restart and end when FAIRGATE_ADMIN_KEY changes', async () => {
  const surroundings = await createSurroundings()
  const run = async (variables: Headers, use: (adminUrl: string) => Promise<void>) => {
    const server = await startServer({ ...surroundings.variables, ...variables })
    await use(server.adminUrl).finally(() => server.stop())
  }
  let cookie = ''
  const status = async (adminUrl: string) =>
    (await fetch(`${adminUrl}/session`, { headers: { cookie } })).status
  try {
    await run({}, async adminUrl => {
      const reply = await fetch(`${adminUrl}/session`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ key: adminKey }),
      })
      cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? ''
    })
    await run({}, async adminUrl => expect(await status(adminUrl)).toBe(200))
    await run({ FAIRGATE_ADMIN_KEY: 'another-admin-key' }, async adminUrl =>
      expect(await status(adminUrl)).toBe(401),
    )
  } finally {
    await surroundings.remove()
  }
})
