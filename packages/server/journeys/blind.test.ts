// suite: test on sqlite and postgres; invariant; 20 s
// Blind judging: over an event of made-up names no reply that a judge of the panel can get contains one, and all judges know the teams by the same
// numbers, in every process and after a new start.
//
// The scan was shown to fail when `coverEntry` leaves `tool_response` as it is, and failed while hosts of links, names written as one word, and escapes
// in front of letters that are not ASCII were not covered.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { QueueReply } from '@fairgate/contracts/judging/reading.ts'
import { judgingSetupExample } from '@fairgate/contracts/judging/setup.ts'
import type { GeneratedLogToken } from '@fairgate/contracts/management/log-tokens.ts'
import type { PersonReply } from '@fairgate/contracts/management/people.ts'
import { codeOf, type DoorRoute, listEveryRoute, readReply } from './testing/door-routes.ts'
import {
  createRandom,
  type FuzzedTeam,
  inventEntries,
  inventSubmission,
  inventTeams,
  listSecrets,
  writeText,
} from './testing/fuzzed-event.ts'
import { ingest } from './testing/logbook-client.ts'
import { createManagement, type Management } from './testing/management.ts'
import { openPanel, type PanelJudge } from './testing/panel-judges.ts'
import { type SpawnedFairgate, spawnFairgate } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'

const seed = Number(process.env.PROPERTY_SEED) || 20_261_128
const random = createRandom(seed)
const teams = inventTeams(random, 4)
/** In the form of `squeeze` → as it is written. */
const secrets = new Map(teams.flatMap(listSecrets).map(text => [squeeze(text), text]))
const tokens = new Map<string, string>()

let place: Surroundings
let fairgate: SpawnedFairgate
let manage: Management
let judges: PanelJudge[]

const setup = {
  ...judgingSetupExample,
  judges_per_team: 3,
  minutes_per_judge: 1000,
  blind: true,
  calibration_team: teams[0]?.teamId ?? '',
}

beforeAll(async () => {
  place = await createSurroundings()
  fairgate = await spawnFairgate({ variables: place.variables })
  manage = createManagement(fairgate.adminUrl, adminKey)
  await manage.change('PUT', '/event', { submission: { disclosure: null, max_files: 3, late: 'marked' } })
  for (const team of teams) await fill(team)
  judges = await openPanel({ adminUrl: fairgate.adminUrl, manage }, setup, [
    'Judge One',
    'Judge Two',
    'Judge Three',
  ])
}, 120_000)
afterAll(async () => {
  fairgate.kill('SIGTERM')
  await fairgate.exited
  await place.remove()
})

async function fill(team: FuzzedTeam): Promise<void> {
  const { teamId, alias, people } = team
  await manage.post('/team/new', { team_id: teamId, team_alias: alias, max_budget: 5 })
  for (const person of people) {
    const { name, email, keyAlias } = person
    const { member_id } = await manage.post<PersonReply>('/people', { team_id: teamId, name, email })
    const key = await manage.key(teamId, { member_id, key_alias: keyAlias })
    const token = await manage.post<GeneratedLogToken>('/log_token/generate', { team_id: teamId, member_id })
    for (const id of [member_id, token.token_id, token.token]) secrets.set(squeeze(id), `an id of ${teamId}`)
    tokens.set(teamId, token.token)
    const entries = inventEntries(random, teams, team, person, Date.now())
    expect((await ingest(fairgate.logbookUrl, token.token, entries)).status).toBe(202)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const called = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        model: 'mm-2.5-flash',
        messages: [{ role: 'user', content: writeText(random, teams) }],
        max_tokens: 20,
      }),
    })
    expect(called.status).toBe(200)
    if (person !== people[0]) continue
    const uploaded = await fetch(
      `${fairgate.gatewayUrl}/self/submission/files?filename=${encodeURIComponent(`${alias}.txt`)}`,
      {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/octet-stream' },
        body: `# ${alias}\n`,
      },
    )
    const files = uploaded.ok ? [((await uploaded.json()) as { readonly file_id: string }).file_id] : []
    const handedIn = await fetch(`${fairgate.gatewayUrl}/self/submission`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ ...inventSubmission(random, teams, team), files }),
    })
    expect([handedIn.status, uploaded.status]).toEqual([200, 201])
  }
}

/** The letters and digits of a text, in a form that has no case, marks, width or escapes. */
function squeeze(text: string): string {
  return text
    .replaceAll(/\\+u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, escapes => {
      try {
        return decodeURIComponent(escapes)
      } catch {
        return escapes
      }
    })
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .normalize('NFC')
}

/** What a reply tells of any team. */
function findSecrets(text: string): string[] {
  const squeezed = squeeze(text)
  return [...secrets].flatMap(([secret, written]) => (squeezed.includes(secret) ? [written] : []))
}

type Scan = { readonly leaks: string[]; readonly seen: Set<string>; replies: number }

async function scan(scanned: Scan, judge: PanelJudge, method: string, path: string, body?: object) {
  const response = await judge.ask(method, path, body)
  const text = await readReply(response)
  const headers = [...response.headers].map(header => header.join(': ')).join('\n')
  const found = findSecrets(`${response.statusText}\n${headers}\n${text}`)
  if (found.length > 0) {
    const [first = ''] = found
    scanned.leaks.push(`${method} ${path}: ${first}: ${shorten(text, first)}`)
  }
  scanned.replies += 1
  return { status: response.status, code: codeOf(text), text }
}

function shorten(text: string, secret: string): string {
  const at = [...text].findIndex((_, place) =>
    squeeze(text.slice(place, place + 120)).startsWith(squeeze(secret)),
  )
  return JSON.stringify(text.slice(Math.max(0, at - 60), at + 120))
}

/** Follows the pages in both directions. */
async function scanPages(scanned: Scan, judge: PanelJudge, path: string): Promise<unknown[]> {
  const items: unknown[] = []
  const cursors = [
    ['next', 'after'],
    ['previous', 'before'],
  ] as const
  for (const [member, parameter] of cursors) {
    let next: string | null = path
    while (next !== null) {
      const { text, status } = await scan(scanned, judge, 'GET', next)
      if (status !== 200) break
      const page: object = Object(JSON.parse(text))
      if ('items' in page && Array.isArray(page.items) && parameter === 'after') items.push(...page.items)
      const cursor: unknown = Reflect.get(page, member)
      const joint = path.includes('?') ? '&' : '?'
      next = typeof cursor === 'string' ? `${path}${joint}${parameter}=${encodeURIComponent(cursor)}` : null
    }
  }
  return items
}

/** Parameters of paths with values that exist, and one that does not. */
type Known = { readonly team: readonly string[]; readonly sessions: ReadonlyMap<string, readonly string[]> }

function fillPaths(path: string, { team, sessions }: Known): string[] {
  if (!path.includes('{')) return [path]
  return [...team, '999', 'nobody'].flatMap(ref => {
    const own = path.replace('{team}', ref)
    if (!own.includes('{')) return [own]
    if (own.includes('{session_id}'))
      return [...(sessions.get(ref) ?? []), 'none'].map(id =>
        own.replace('{session_id}', encodeURIComponent(id)),
      )
    if (own.includes('{seq}'))
      return [1, 2, 3, 7, 14, 9999, 'x'].map(seq => own.replace('{seq}', String(seq)))
    if (own.includes('{file_id}')) return [own.replace('{file_id}', 'file-none')]
    throw new Error(`Give the parameters of ${path} values here, so that the route is scanned.`)
  })
}

/** What a judge searches for: words that every text has, words that stand for names, and names themselves. */
const searches = ['parser', 'person', 'team', 'repository', '"const value"']

function readQueries({ path }: DoorRoute): string[] {
  if (path === '/judging/search') return searches.map(q => `?q=${encodeURIComponent(q)}&limit=20`)
  if (path.endsWith('/items')) return ['', '?limit=3', '?limit=3&from_end=true', '?around=1&limit=5']
  if (path === '/judging/sessions') return ['', '?limit=2', '?sort=dearest&limit=5', '?person=Person%20A']
  if (path === '/judging/stream')
    return ['?topics=queue', '?topics=sessions', '?topics=judgements', '?topics=nothing']
  return ['']
}

const hasPages = ({ parameters }: DoorRoute) => parameters.some(({ name }) => name === 'after')
const isPanel = ({ door, path, onlyFor, isOpen }: DoorRoute) =>
  door === 'admin' && !isOpen && (path === '/session' || onlyFor === 'judges of the panel')

test('no reply to a blind judge contains a name, an address or an id of any team', async () => {
  const [judge] = judges
  if (judge === undefined) throw new Error('There is no judge.')
  const scanned: Scan = { leaks: [], seen: new Set(), replies: 0 }
  const routes = (await listEveryRoute(fairgate)).filter(isPanel)
  const queue: QueueReply = JSON.parse((await scan(scanned, judge, 'GET', '/judging/queue')).text)
  const refs = queue.items.map(({ team }) => team)
  expect(refs.toSorted()).toEqual(['1', '2', '3', '4'])
  const sessions = new Map<string, string[]>()
  for (const ref of refs) {
    const rows = await scanPages(scanned, judge, `/judging/sessions?team=${ref}&limit=50`)
    expect(rows.length).toBeGreaterThanOrEqual(18)
    // One of each tool, and those whose ids would tell a name.
    const ids = rows.map(row => String(Object(row).session_id))
    sessions.set(ref, [...ids.filter(id => id.startsWith('hidden-')), ...ids.slice(0, 6)])
  }
  const known = { team: refs, sessions }
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    const paths = fillPaths(route.path, known)
    let open = 0
    for (const path of paths) {
      for (const query of readQueries(route)) {
        const { status, code } = await scan(scanned, judge, 'GET', `${path}${query}`)
        // For head judges.
        if (code === 'admin_forbidden') break
        if (status === 200) open += 1
        if (status === 200 && hasPages(route)) await scanPages(scanned, judge, `${path}${query}`)
      }
    }
    if (open > 0) scanned.seen.add(route.path)
  }
  expect(scanned.leaks).toEqual([])
  for (const path of [
    'queue',
    'order',
    'sessions',
    'search',
    'teams/{team}',
    'scores/{team}',
    'entries/{team}/{seq}',
  ])
    expect([...scanned.seen]).toContain(`/judging/${path}`)
  expect(scanned.replies).toBeGreaterThan(300)
}, 300_000)

test('what a judge writes, finishes and reopens is answered without names, also when it is refused', async () => {
  const [judge] = judges
  if (judge === undefined) throw new Error('There is no judge.')
  const scanned: Scan = { leaks: [], seen: new Set(), replies: 0 }
  const steps: Readonly<Record<string, (ref: string) => readonly object[]>> = {
    'POST /judging/teams/{team}/begin': () => [{}],
    'PUT /judging/scores/{team}': () => [
      { scores: { direction: { score: 3 }, checking: { score: 2 } }, revision: 0 },
      { scores: {}, revision: 77 },
      { nonsense: true },
    ],
    'POST /judging/scores/{team}/done': () => [{ revision: 1 }, { revision: 50 }],
    'POST /judging/scores/{team}/reopen': () => [{ reason: 'A second look' }],
    'POST /judging/scores/{team}/unable': () => [{ reason: 'No time' }],
    'PUT /judging/order': ref => [
      { teams: [ref, ref], revision: 0 },
      { teams: ['999'], revision: 0 },
    ],
    'POST /judging/teams/{team}/conflict': () => [{ reason: 'A friend' }, {}],
    'DELETE /session': () => [],
  }
  const writes = (await listEveryRoute(fairgate)).filter(route => isPanel(route) && route.method !== 'GET')
  expect(writes.length).toBeGreaterThan(6)
  for (const { method, path } of writes) {
    const bodies = steps[`${method} ${path}`]
    if (bodies === undefined) {
      const { code } = await scan(scanned, judge, method, path.replaceAll(/\{\w+\}/g, '1'), {})
      expect([`${method} ${path} is not scanned`, code]).toEqual([
        `${method} ${path} is not scanned`,
        'admin_forbidden',
      ])
    }
  }
  for (const [step, bodies] of Object.entries(steps)) {
    const [method = '', path = ''] = step.split(' ')
    for (const ref of ['1', '2', '999', teams[1]?.teamId ?? ''])
      for (const body of bodies(ref)) {
        const address = path.replace('{team}', ref)
        const { status, text } = await scan(scanned, judge, method, address, body)
        if (ref === teams[1]?.teamId && path.includes('{team}')) {
          // The judge's own words may come back; the team itself is unknown.
          expect([address, text, [400, 404].includes(status)]).toEqual([address, text, true])
          scanned.leaks.splice(0)
        }
      }
  }
  expect(scanned.leaks).toEqual([])
}, 120_000)

test('a search for a name finds nothing', async () => {
  const [judge] = judges
  for (const team of teams.slice(0, 2))
    for (const text of [
      team.alias,
      team.people[0]?.name ?? '',
      team.people[0]?.email ?? '',
      team.repository,
    ]) {
      const reply = await judge?.ask('GET', `/judging/search?q=${encodeURIComponent(`"${text}"`)}`)
      expect(JSON.parse((await reply?.text()) ?? '')).toMatchObject({ items: [], hits: 0 })
    }
})

test('a session goes on before a blind judge without names', async () => {
  const [judge] = judges
  const [team] = teams
  if (judge === undefined || team === undefined) throw new Error('There is no judge.')
  const stream = await judge.ask('GET', '/judging/stream?topics=sessions,queue')
  expect(stream.status).toBe(200)
  const entry = { ...inventEntries(random, teams, team, team.people[0] ?? raise(), Date.now())[1] }
  await ingest(fairgate.logbookUrl, tokens.get(team.teamId) ?? '', [entry])
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!/event: ?sessions/.test(text)) {
    const piece = await reader?.read()
    if (piece === undefined || piece.done) break
    text += piece.value
  }
  await reader?.cancel()
  expect(text).toContain('sessions')
  expect(findSecrets(text)).toEqual([])
}, 60_000)

const raise = (): never => {
  throw new Error('There is no such person.')
}

/** Numbers, and people of the first three teams, as a judge sees them. */
async function readNames(ask: PanelJudge['ask']): Promise<unknown> {
  const titles = await Promise.all(
    ['1', '2', '3'].map(async ref => {
      const dossier = (await (await ask('GET', `/judging/teams/${ref}`)).json()) as {
        readonly submission: { readonly title: string }
        readonly people: readonly { readonly name: string; readonly sessions: number }[]
      }
      return [ref, dossier.submission.title, dossier.people.map(({ name }) => name).toSorted()]
    }),
  )
  return titles
}

test('all judges know the teams by the same names, in another process and after a new start; the set-up ends it at once', async () => {
  const [one, two] = judges
  if (one === undefined || two === undefined) throw new Error('There is no judge.')
  const names = await readNames(one.ask)
  expect(JSON.stringify(names)).toContain('Person A')
  expect(await readNames(two.ask)).toEqual(names)
  if (place.databaseUrl !== null) {
    const other = await spawnFairgate({ variables: place.variables })
    expect(await readNames(one.at(other.adminUrl))).toEqual(names)
    other.kill('SIGTERM')
    await other.exited
  }
  fairgate.kill('SIGTERM')
  await fairgate.exited
  fairgate = await spawnFairgate({ variables: place.variables })
  manage = createManagement(fairgate.adminUrl, adminKey)
  expect(await readNames(two.at(fairgate.adminUrl))).toEqual(names)
  const open = await manage.call('PUT', '/judging/setup', { setup: { ...setup, blind: false } })
  expect(open.status).toBe(200)
  const queue = await (await one.at(fairgate.adminUrl)('GET', '/judging/queue')).text()
  expect(teams.filter(({ alias }) => queue.includes(alias)).length).toBeGreaterThanOrEqual(2)
  const blind = await manage.call('PUT', '/judging/setup', { setup })
  expect(blind.status).toBe(200)
  expect(await readNames(two.at(fairgate.adminUrl))).toEqual(names)
}, 120_000)
