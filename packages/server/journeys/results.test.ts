// suite: test on sqlite and postgres; 15 s
// From the last score to the published results: a tie, a set that is judged again, a case with an appeal, verification by a second person,
// publication at the second, and a correction. By real requests of four people, two judges and a team.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { codeOf } from './testing/door-routes.ts'
import { ingest, sampleEntry } from './testing/logbook-client.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let teamKey: string
let otherKey: string
const people: Record<string, string> = {}
const judges: Record<string, string> = {}

type Headers = Readonly<Record<string, string>>
type Answer = {
  readonly status: number
  readonly code: string | null
  readonly body: Record<string, unknown>
}

async function ask(url: string, headers: Headers, method = 'GET', body?: object): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    code: codeOf(text),
    body: text.startsWith('{') ? JSON.parse(text) : { text },
  }
}
const as =
  (headers: () => Headers) =>
  (method: string, path: string, body?: object): Promise<Answer> =>
    ask(`${fairgate.adminUrl}${path}`, headers(), method, body)
const by = (name: string) => as(() => ({ authorization: `Bearer ${people[name]}` }))
const judge = (name: string) => as(() => ({ cookie: judges[name] ?? '' }))
const ofTeam = (key: string) => (method: string, path: string, body?: object) =>
  ask(`${fairgate.gatewayUrl}${path}`, { authorization: `Bearer ${key}` }, method, body)
const get = (path: string) => fetch(`${fairgate.gatewayUrl}${path}`)

/** Confirms the warnings of its dry run. */
async function act(name: string, path: string, body: object): Promise<Answer> {
  const preview = await by(name)('POST', path, { ...body, dry_run: true })
  expect(preview.status).toBe(200)
  return await by(name)('POST', path, { ...body, preview_id: preview.body.preview_id })
}

async function finish(name: string, team: string, score: number): Promise<void> {
  const { body } = await judge(name)('GET', `/judging/scores/${team}`)
  const saved = await judge(name)('PUT', `/judging/scores/${team}`, {
    scores: { direction: { score } },
    comment_team: `From a judge to ${team}`,
    revision: Object(body.own).revision,
  })
  const { revision } = Object(saved.body.own)
  expect(await judge(name)('POST', `/judging/scores/${team}/done`, { revision })).toMatchObject({
    status: 200,
  })
}
const results = async () => (await by('Ola')('GET', '/judging/results')).body
const digest = async () => String((await results()).digest)
const ranks = async () =>
  (Object(await results()).teams as { team_id: string; rank: number }[]).map(({ team_id, rank }) => [
    team_id,
    rank,
  ])

beforeAll(async () => {
  fairgate = await startFairgate()
  const { manage } = fairgate
  teamKey = await manage.team('red')
  otherKey = await manage.team('blue')
  await manage.team('green')
  for (const [name, role] of [
    ['Ola', 'organiser'],
    ['Omar', 'organiser'],
    ['Olga', 'organiser'],
    ['Hana', 'head_judge'],
  ] as const)
    people[name] = (await manage.post<{ key: string }>('/admin_keys', { name, role })).key
  await manage.call('PUT', '/judging/setup', {
    setup: {
      criteria: [{ id: 'direction', name: 'Direction', weight: 1, max: 5 }],
      ranking: 'mean',
      ties: [{ by: 'head_judge' }],
      judges_per_team: 2,
      minutes_per_team: 10,
      minutes_per_judge: 90,
      seed: '4 2 6 1',
    },
  })
  await manage.post('/judging/judges', { judges: [{ name: 'Ada' }, { name: 'Ben' }] })
  await manage.post('/judging/deal', {})
  const codes = await manage.post<{ items: { name: string; code: string }[] }>('/judging/codes', {
    judges: 'all',
  })
  for (const { name, code } of codes.items) {
    const response = await fetch(`${fairgate.adminUrl}/judging/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ code }),
    })
    expect(response.status).toBe(200)
    judges[name] = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  for (const [team, score] of [
    ['red', 4],
    ['blue', 4],
    ['green', 2],
  ] as const)
    for (const name of ['Ada', 'Ben']) await finish(name, team, score)
})
afterAll(() => fairgate.stop())

test('the head judge settles the tie, and a set is judged again: once discarded, once applied', async () => {
  expect(await ranks()).toEqual([
    ['blue', 1],
    ['red', 1],
    ['green', 3],
  ])
  const tie = { teams: ['red', 'blue'], reason: 'The demo of red ran.' }
  expect((await by('Hana')('POST', '/judging/results/ties', tie)).status).toBe(200)
  for (const [apply, last] of [
    [false, 'green'],
    [true, 'blue'],
  ] as const) {
    const open = { teams: ['green'], reason: 'The network was down.' }
    expect((await by('Ola')('POST', '/judging/rejudging', open)).status).toBe(200)
    for (const name of ['Ada', 'Ben']) await finish(name, 'green', 5)
    expect((await act('Ola', '/judging/rejudging/close', { apply, reason: 'Seen.' })).status).toBe(200)
    expect((await ranks()).at(-1)?.[0]).toBe(last)
  }
})

test('a case is asked, answered, decided and appealed, each by another person, and other teams know nothing of it', async () => {
  const { token } = await fairgate.manage.token('red')
  await ingest(fairgate.logbookUrl, token, [sampleEntry])
  expect((await by('Ola')('POST', '/cases', { team_id: 'red', question: 'Who?', cites: [9] })).status).toBe(
    400,
  )
  const opened = await by('Ola')('POST', '/cases', {
    team_id: 'red',
    question: 'Who wrote the parser?',
    cites: [1],
  })
  expect(opened).toMatchObject({ status: 200, body: { state: 'asked', opened_by: 'Ola' } })
  const path = `/cases/${opened.body.case_id}`
  const decision = { decision: 'No effect on the scores.', reason: 'The log shows it.' }
  expect(await by('Omar')('POST', `${path}/decide`, decision)).toMatchObject({ status: 409 })
  expect((await ofTeam(otherKey)('GET', '/self/cases')).body.items).toEqual([])
  expect(await ofTeam(otherKey)('POST', `/self${path}/answer`, { text: 'We did.' })).toMatchObject({
    status: 404,
    code: 'case_not_found',
  })
  const answered = await ofTeam(teamKey)('POST', `/self${path}/answer`, { text: 'Mina, with Codex.' })
  expect(answered).toMatchObject({ status: 200, body: { state: 'answered', answer: { late: false } } })
  expect(await by('Ola')('POST', `${path}/decide`, decision)).toMatchObject({ status: 409 })
  expect(await by('Omar')('POST', `${path}/decide`, decision)).toMatchObject({
    status: 200,
    body: { state: 'decided' },
  })
  expect((await results()).missing).toEqual(['1 case is not decided.'])
  const [own] = Object((await ofTeam(teamKey)('GET', '/self/cases')).body).items
  expect(own).toMatchObject({ decision: { decision: 'No effect on the scores.' }, can_appeal: true })
  expect(JSON.stringify(own)).not.toMatch(/Omar|Ola/)
  expect((await ofTeam(teamKey)('POST', `/self${path}/appeal`, { text: 'Read entry 1.' })).status).toBe(200)
  expect(await ofTeam(teamKey)('POST', `/self${path}/appeal`, { text: 'Again.' })).toMatchObject({
    status: 409,
  })
  for (const name of ['Ola', 'Omar'])
    expect(await by(name)('POST', `${path}/decide`, decision)).toMatchObject({ status: 409 })
  expect(await by('Olga')('POST', `${path}/decide`, decision)).toMatchObject({
    status: 200,
    body: { state: 'final' },
  })
})

test('results are verified by a second person, published at the second, and then only corrected with a number', async () => {
  expect((await by('Hana')('POST', '/judging/results/verify', { digest: await digest() })).status).toBe(200)
  for (const path of ['/results.json', '/results.csv', '/results/ctftime.json', '/results'])
    expect((await get(path)).status).toBe(404)
  const at = Math.ceil(Date.now() / 1000 + 1) * 1000
  expect(
    (await act('Ola', '/judging/results/publish', { digest: await digest(), at: new Date(at).toISOString() }))
      .status,
  ).toBe(200)
  expect((await ofTeam(teamKey)('GET', '/self/results')).body).toMatchObject({
    published_at: null,
    team: null,
  })
  // SQLite and the test share this clock; PostgreSQL runs on this machine too.
  let seen = await get('/results.json')
  for (; seen.status === 404; seen = await get('/results.json')) expect(Date.now()).toBeLessThan(at + 30_000)
  expect(Date.now()).toBeGreaterThanOrEqual(at)
  expect(await seen.json()).toMatchObject({
    published_at: new Date(at).toISOString(),
    teams: [
      { team_id: 'green', rank: 1 },
      { team_id: 'red', rank: 2, criteria: { direction: 4 } },
      { team_id: 'blue', rank: 3 },
    ],
    corrections: [],
  })
  expect((await ofTeam(teamKey)('GET', '/self/results')).body).toMatchObject({
    team: { rank: 2, mean: 0.8 },
    comments: ['From a judge to red', 'From a judge to red'],
  })
  expect(await judge('Ada')('POST', '/judging/scores/red/reopen', { reason: 'Again' })).toMatchObject({
    code: 'scores_closed',
  })
  expect(
    (await by('Ola')('POST', '/judging/rejudging', { teams: ['red'], reason: 'Two sheets were mixed up.' }))
      .status,
  ).toBe(200)
  for (const name of ['Ada', 'Ben']) await finish(name, 'red', 1)
  expect((await act('Ola', '/judging/rejudging/close', { apply: true, reason: 'Checked.' })).status).toBe(200)
  expect(await (await get('/results.csv')).text()).toContain('2,"red"')
  expect((await by('Hana')('POST', '/judging/results/verify', { digest: await digest() })).status).toBe(200)
  const correction = { digest: await digest(), text: 'Two sheets were mixed up.' }
  expect((await act('Ola', '/judging/results/corrections', correction)).status).toBe(200)
  expect(await (await get('/results.csv')).text()).toContain('3,"red"')
  expect(await (await get('/results')).text()).toContain('Two sheets were mixed up.')
  expect(await (await get('/results/ctftime.json')).json()).toMatchObject({
    tasks: ['Direction'],
    standings: [
      { pos: 1, team: 'green', score: 100 },
      { pos: 2, team: 'blue' },
      { pos: 3, team: 'red' },
    ],
  })
})
