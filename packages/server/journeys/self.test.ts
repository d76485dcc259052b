// Routes of the team page: limits and board, the team's log, announcements and questions, and a member's keys.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AttentionReply } from '@fairgate/contracts/console/attention.ts'
import type { OwnQuestionReply, OwnQuestions, QuestionList } from '@fairgate/contracts/console/questions.ts'
import type { OwnKey, Self, SelfEntries } from '@fairgate/contracts/console/self.ts'
import type { SessionItemsReply } from '@fairgate/contracts/console/session-view.ts'
import type { AnnouncementList } from '@fairgate/contracts/management/announcements.ts'
import { codeOf } from './testing/door-routes.ts'
import { ingest, sampleEntry } from './testing/logbook-client.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let now = Date.parse('2026-11-21T09:00:00Z')
let key = ''
let teamKey = ''
let otherKey = ''
let memberId = ''
const json = { 'content-type': 'application/json' }
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
type Headers = Readonly<Record<string, string>>

beforeAll(async () => {
  fairgate = await startFairgate({ variables: { FAIRGATE_TRUSTED_PROXIES: '127.0.0.0/8' } }, () => now)
  const { manage } = fairgate
  await manage.post('/team/new', {
    team_id: 'ferry',
    team_alias: 'Night Ferry',
    max_budget: 1,
    rpm_limit: 2,
  })
  const made = await manage.post<{ member_id: string }>('/people', { team_id: 'ferry', name: 'Jiwoo Han' })
  memberId = made.member_id
  key = await manage.key('ferry', { key_alias: 'laptop', member_id: memberId })
  teamKey = await manage.key('ferry', { key_alias: 'ci' })
  otherKey = await manage.team('other', { max_budget: 5 })
})
afterAll(() => fairgate.stop())

async function ask(path: string, headers: Headers = bearer(key), method = 'GET', body?: object) {
  const response = await fetch(`${fairgate.gatewayUrl}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : json), ...headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, code: codeOf(text), text, headers: response.headers }
}

async function read<Reply>(path: string, secret = key): Promise<Reply> {
  const { status, text } = await ask(path, bearer(secret))
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
  return JSON.parse(text)
}

/** Reads a route of the admin door. */
async function manage<Reply>(path: string): Promise<Reply> {
  const reply = await fairgate.manage.call('GET', path)
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}`)
  return (await reply.json()) as Reply
}

/** Figures that all pages share are a second old at most. */
const readSelf = async (secret = key): Promise<Self> => {
  now += 1000
  return read<Self>('/self', secret)
}

const chat = () =>
  fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...json, ...bearer(key) },
    body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] }),
  })

describe('limits and board', () => {
  test('a full window shows its use and when there is room again, only to this team', async () => {
    const find = ({ limits_now: limits }: Self, kind: string) =>
      limits.find(limit => limit.level === 'team' && limit.kind === kind)
    expect(find(await readSelf(), 'requests')).toMatchObject({ limit: 2, used: 0, frees_at: null })
    const first = await chat()
    await first.text()
    await (await chat()).text()
    const self = await readSelf()
    expect(find(self, 'requests')).toMatchObject({ limit: 2, used: 2, peak: 2 })
    expect(find(self, 'requests')?.frees_at).not.toBeNull()
    expect(find(self, 'budget')).toMatchObject({ limit: 1_000_000_000, used: self.budget.spent_nano })
    const other = await readSelf(otherKey)
    expect(find(other, 'requests')).toBeUndefined()
    expect(find(other, 'budget')).toMatchObject({ limit: 5_000_000_000, used: 0 })
  })

  test('a locked board shows since when, and who locked it', async () => {
    const open = { locked: false, since: null, until: null, reason: null, late_until: null }
    expect((await readSelf()).board).toEqual(open)
    const since = new Date(now).toISOString()
    await fairgate.manage.post('/team/lock', { team_id: 'ferry' })
    expect((await readSelf()).board).toEqual({ ...open, locked: true, since, reason: 'organisers' })
    await fairgate.manage.post('/team/unlock', { team_id: 'ferry' })
    expect((await readSelf()).board).toEqual(open)
  })
})

describe("the team's log", () => {
  const entryAt = (minute: number, more: object) => ({
    ...sampleEntry,
    ts: `2026-11-21T08:${String(minute).padStart(2, '0')}:00Z`,
    ...more,
  })

  test('cannot be read with a key if its member has no log token', async () => {
    for (const secret of [key, teamKey])
      for (const path of ['/self/entries', '/self/sessions/s-1/items'])
        expect(await ask(path, bearer(secret))).toMatchObject({ status: 403, code: 'route_not_allowed' })
    // A token of the whole team belongs to no member.
    await fairgate.manage.token('ferry')
    expect((await ask('/self/entries')).code).toBe('route_not_allowed')
  })

  test('is read in pages, by event, tool and session, until the token is revoked', async () => {
    const { token, token_id } = await fairgate.manage.post<{ token: string; token_id: string }>(
      '/log_token/generate',
      { team_id: 'ferry', member_id: memberId },
    )
    await ingest(fairgate.logbookUrl, token, [
      entryAt(1, { session_id: 's-1', event: 'UserPromptSubmit', prompt: 'one' }),
      entryAt(2, { session_id: 's-1', event: 'Stop' }),
      entryAt(3, { session_id: 's-2', event: 'UserPromptSubmit', prompt: 'three' }),
      entryAt(4, { session_id: 's-1', event: 'UserPromptSubmit', prompt: 'four' }),
    ])
    const { token: foreign } = await fairgate.manage.token('other')
    await ingest(fairgate.logbookUrl, foreign, [entryAt(5, { session_id: 's-1', prompt: 'foreign' })])
    const numbers = ({ items }: SelfEntries) => items.map(({ seq }) => seq)
    const all = await read<SelfEntries>('/self/entries')
    expect(numbers(all)).toEqual([4, 3, 2, 1])
    expect(all.items[1]).toMatchObject({ more: false, event: 'UserPromptSubmit', member_id: memberId })
    expect(JSON.stringify(all)).not.toContain('foreign')
    for (const query of ['limit=3', 'limit=2&session_id=s-1']) {
      const first = await read<SelfEntries>(`/self/entries?${query}`)
      const rest = await read<SelfEntries>(
        `/self/entries?${query}&after=${encodeURIComponent(first.next ?? '')}`,
      )
      const found = query.includes('session') ? [4, 2, 1] : [4, 3, 2, 1]
      expect([...numbers(first), ...numbers(rest)]).toEqual(found)
      expect(rest.next).toBeNull()
    }
    expect(numbers(await read<SelfEntries>('/self/entries?event=Stop'))).toEqual([2])
    expect(numbers(await read<SelfEntries>('/self/entries?event=Stop&session_id=s-1'))).toEqual([2])
    const tool = sampleEntry.tool.toUpperCase()
    expect(numbers(await read<SelfEntries>(`/self/entries?tool=${tool}&limit=1`))).toEqual([4])
    expect(numbers(await read<SelfEntries>('/self/entries?tool=none'))).toEqual([])
    const items = await read<SessionItemsReply>('/self/sessions/s-1/items')
    expect(items.items.map(({ ref }) => ref)).toEqual(['ferry#1', 'ferry#2', 'ferry#4'])
    const around = await read<SessionItemsReply>('/self/sessions/s-1/items?around=2&limit=1')
    expect(around.items.map(({ ref }) => ref)).toEqual(['ferry#2'])
    for (const [path, code] of [
      ['/self/entries?after=nowhere', 'invalid_request'],
      ['/self/entries?session_id=s-1&after=99', 'invalid_request'],
      ['/self/entries?team_id=other', 'invalid_request'],
      ['/self/entries?session_id=none', 'session_not_found'],
      ['/self/sessions/none/items', 'session_not_found'],
      ['/self/sessions/s-1/items?around=3', 'entry_not_found'],
    ] as const)
      expect([path, (await ask(path)).code]).toEqual([path, code])
    // Still closed to others of the team.
    expect((await ask('/self/entries', bearer(teamKey))).code).toBe('route_not_allowed')
    await fairgate.manage.post('/log_token/revoke', { token_id })
    expect((await ask('/self/entries')).code).toBe('route_not_allowed')
  })
})

test('organisers see how many teams and members have read an announcement', async () => {
  const announce = (body: object) => fairgate.manage.post<{ announcement_id: string }>('/announcements', body)
  const { announcement_id: id } = await announce({ text: 'Lunch is served.' })
  const see = (announcementId: string, secret: string) =>
    ask(`/self/announcements/${announcementId}/seen`, bearer(secret), 'POST')
  const count = async () => {
    const { items } = await manage<AnnouncementList>('/announcements')
    const found = items.find(({ announcement_id }) => announcement_id === id)
    return [found?.read_count, found?.read_by_members]
  }
  expect(await count()).toEqual([0, 0])
  for (const secret of [key, key, teamKey]) expect((await see(id, secret)).status).toBe(200)
  expect(await count()).toEqual([1, 1])
  await see(id, otherKey)
  expect(await count()).toEqual([2, 1])
  const { announcement_id: foreign } = await announce({ text: 'For others.', teams: ['other'] })
  for (const wrong of [foreign, 'an_none'])
    expect(await see(wrong, key)).toMatchObject({ status: 404, code: 'announcement_not_found' })
})

describe('questions', () => {
  const post = (body: object, secret = key) => ask('/self/questions', bearer(secret), 'POST', body)
  const answer = (id: string, body: object) => fairgate.manage.call('POST', `/questions/${id}/answer`, body)

  test('are asked, wait, and are answered once, for one team or for all', async () => {
    const context = { page: '/limits', call_id: null }
    const asked: OwnQuestionReply = JSON.parse((await post({ text: ' May we?\nReally? ', context })).text)
    expect(asked).toMatchObject({
      text: 'May we?\nReally?',
      page: '/limits',
      member: { name: 'Jiwoo Han' },
      state: 'waiting',
    })
    expect((await readSelf()).questions).toEqual({ asked: 1, waiting: 1, last_answered_at: null })
    const waiting = await manage<QuestionList>('/questions?state=waiting')
    expect(waiting.items).toMatchObject([{ question_id: asked.question_id, team_alias: 'Night Ferry' }])
    // Ten minutes later organisers are notified.
    const kinds = async () => (await manage<AttentionReply>('/attention')).items.map(({ kind }) => kind)
    expect(await kinds()).not.toContain('question_waiting')
    now += 10 * 60_000
    expect(await kinds()).toContain('question_waiting')
    const id = asked.question_id
    expect((await answer(id, { text: 'Yes.', audience: 'team', reason: 'rules' })).status).toBe(200)
    expect(await kinds()).not.toContain('question_waiting')
    expect(codeOf(await (await answer(id, { text: 'No.', audience: 'all' })).text())).toBe('conflict')
    expect(codeOf(await (await answer('q_none', { text: 'No.', audience: 'all' })).text())).toBe(
      'question_not_found',
    )
    const own = await read<OwnQuestions>('/self/questions')
    expect(own.items).toMatchObject([{ answer: 'Yes.', audience: 'team', state: 'answered' }])
    expect(JSON.stringify(own)).not.toContain('answered_by')
    expect((await readSelf()).announcements.map(({ text }) => text)).not.toContain('Yes.')
    const second: OwnQuestionReply = JSON.parse((await post({ text: 'When?' }, teamKey)).text)
    await answer(second.question_id, { text: 'The demos begin at 17:00.', audience: 'all' })
    expect((await readSelf(otherKey)).announcements.map(({ text }) => text)).toContain(
      'The demos begin at 17:00.',
    )
    const { items, next } = await read<OwnQuestions>('/self/questions?limit=1')
    expect(items).toMatchObject([{ text: 'When?', member: null, audience: 'all' }])
    expect((await read<OwnQuestions>(`/self/questions?after=${next}`)).items).toMatchObject([
      { question_id: id },
    ])
    const rows = await manage<{ entries: { action: string; reason: string | null }[] }>('/audit')
    expect(JSON.stringify(rows)).toContain('question.answer')
  })

  test('are not seen by other teams', async () => {
    expect((await read<OwnQuestions>('/self/questions', otherKey)).items).toEqual([])
    const { items } = await read<OwnQuestions>('/self/questions')
    const foreign = items[0]?.question_id ?? ''
    expect((await ask(`/self/questions?after=${foreign}`, bearer(otherKey))).code).toBe('invalid_request')
  })

  test("are refused: empty, with control characters, too long, about another team's call, too many", async () => {
    for (const text of ['', '  ', 'a\u001b[2Jb', 'x'.repeat(1001), '\u202eabc'])
      expect([text, (await post({ text }, otherKey)).code]).toEqual([text, 'invalid_request'])
    const call_id = '019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f'
    expect((await post({ text: 'Why?', context: { call_id } }, otherKey)).code).toBe('call_not_found')
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async (_, number) => (await post({ text: `${number}?` }, otherKey)).status),
    )
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 409, 409, 409])
    // The count covers all pages, not only this one.
    const first = await manage<QuestionList>('/questions?state=waiting&team_id=other&limit=2')
    expect([first.items.length, first.waiting]).toEqual([2, 5])
    expect((await manage<QuestionList>('/questions?state=answered&limit=1')).waiting).toBe(5)
    for (let round = 0; round < 3; round += 1) {
      const { items } = await manage<QuestionList>('/questions?state=waiting&team_id=other')
      for (const { question_id } of items) await answer(question_id, { text: 'Yes.', audience: 'team' })
      for (let number = 0; number < 5; number += 1) await post({ text: 'Again?' }, otherKey)
    }
    const { items } = await manage<QuestionList>('/questions?state=waiting&team_id=other')
    for (const { question_id } of items) await answer(question_id, { text: 'Yes.', audience: 'team' })
    const refused = await post({ text: 'Once more?' }, otherKey)
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('20 questions within an hour'),
    ])
    now += 3_600_000
    expect((await post({ text: 'And now?' }, otherKey)).status).toBe(200)
  })
})

describe("a member's keys", () => {
  const make = (secret: string, body: object = {}) => ask('/self/keys', bearer(secret), 'POST', body)
  const remove = (keyId: string, secret = key) => ask(`/self/keys/${keyId}`, bearer(secret), 'DELETE')

  test('only the member creates and ends them', async () => {
    const { keys } = await readSelf()
    const made = await make(key, { key_alias: 'second laptop' })
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store'])
    const own: OwnKey = JSON.parse(made.text)
    expect([own.key_alias, own.key_id.length]).toEqual(['second laptop', 64])
    const self = await readSelf(own.key)
    expect(self.member).toEqual({ member_id: memberId, name: 'Jiwoo Han' })
    expect(self.keys).toHaveLength(keys.length + 1)
    const audit = JSON.stringify(await manage<object>('/audit'))
    expect(audit).toContain(`"actor":"member ${memberId}"`)
    expect(audit).not.toContain(own.key)
    expect((await make(teamKey)).code).toBe('route_not_allowed')
    expect((await make(key, { key_alias: 'second laptop' })).code).toBe('conflict')
    expect((await make(key, { max_budget: 5 })).code).toBe('invalid_request')
    const idOf = (alias: string) => keys.find(each => each.alias === alias)?.key_id ?? ''
    for (const [id, secret, code] of [
      [idOf('ci'), key, 'key_not_found'],
      ['0'.repeat(64), key, 'key_not_found'],
      [own.key_id, otherKey, 'route_not_allowed'],
      [idOf('laptop'), key, 'conflict'],
    ] as const)
      expect((await remove(id, secret)).code).toBe(code)
    expect((await remove(own.key_id)).status).toBe(200)
    expect((await ask('/self', bearer(own.key))).code).toBe('invalid_api_key')
    expect((await remove(own.key_id)).code).toBe('key_not_found')
  })

  test('at most five work at a time, however many are requested at once', async () => {
    const { key: limited } = JSON.parse(
      await (
        await fairgate.manage.call('POST', '/key/generate', {
          team_id: 'ferry',
          member_id: memberId,
          max_budget: 0.5,
        })
      ).text(),
    )
    // A key's own budget must not be available twice.
    expect((await make(limited)).code).toBe('conflict')
    const statuses = await Promise.all(Array.from({ length: 6 }, async () => (await make(key)).status))
    expect(statuses.toSorted()).toEqual([201, 201, 201, 409, 409, 409])
  })

  test('a new key has no more rights than the key that creates it', async () => {
    const { member_id } = await fairgate.manage.post<{ member_id: string }>('/people', {
      team_id: 'ferry',
      name: 'Sam',
    })
    const narrow = await fairgate.manage.key('ferry', {
      member_id,
      models: ['mm-2.5-flash'],
      duration: '1d',
      max_parallel_requests: 1,
    })
    const own: OwnKey = JSON.parse((await make(narrow)).text)
    const info = JSON.parse((await ask('/key/info', bearer(own.key))).text)
    const record = info
    const template = JSON.parse((await ask('/key/info', bearer(narrow))).text)
    for (const name of ['models', 'expires', 'max_parallel_requests'])
      expect([name, record[name]]).toEqual([name, template[name]])
    // A blocked team cannot create keys.
    await fairgate.manage.post('/team/block', { team_id: 'ferry' })
    expect(await make(narrow)).toMatchObject({ status: 401, code: 'team_blocked' })
    await fairgate.manage.post('/team/unblock', { team_id: 'ferry' })
  })
})

describe('a claim page that shows the key', () => {
  const join = async (name: string, headers: Headers) => {
    const { items } = JSON.parse(
      await (await fairgate.manage.call('POST', '/claims', { teams: [name], seats: 2 })).text(),
    )
    const form = new FormData()
    form.set('member', 'other')
    form.set('name', 'Mina')
    form.set('want', 'key')
    const reply = await fetch(`${fairgate.gatewayUrl}/join/${items[0].code}`, {
      method: 'POST',
      headers,
      body: form,
    })
    return { set: reply.headers.get('set-cookie'), page: await reply.text() }
  }

  test('signs the browser in to the team page', async () => {
    await fairgate.manage.team('joined', { max_budget: 1 })
    const { set, page } = await join('joined', { 'sec-fetch-site': 'same-origin' })
    expect(set).toMatch(/^fairgate_team=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(page).toContain('You are already signed in there')
    const cookie = set?.split(';')[0] ?? ''
    const self: Self = JSON.parse((await ask('/self', { cookie })).text)
    expect([self.team.team_id, self.member?.name]).toEqual(['joined', 'Mina'])
  })

  test('shows the key without signing in if another site or a program sent the form', async () => {
    for (const [team, headers] of [
      ['cross', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
      ['program', {}],
    ] as const) {
      await fairgate.manage.team(team, { max_budget: 1 })
      const { set, page } = await join(team, headers)
      expect([team, set, page.includes('OPENAI_API_KEY=sk-')]).toEqual([team, null, true])
      expect(page).not.toContain('You are signed in')
    }
  })
})

test('the page with the setup line opens the team page once, after the line was run', async () => {
  await fairgate.manage.team('lines', { max_budget: 1 })
  const claims = await fairgate.manage.call('POST', '/claims', { teams: ['lines'], seats: 2 })
  const { items } = JSON.parse(await claims.text())
  const form = new FormData()
  form.set('member', 'other')
  form.set('name', 'Mina')
  form.set('want', 'line')
  const page = await fetch(`${fairgate.gatewayUrl}/join/${items[0].code}`, { method: 'POST', body: form })
  const path = /action="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const own = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' }
  const open = (headers: Headers = own) => ask(path, headers, 'POST')
  const early = await open()
  expect([early.status, early.text.includes('This line has not been run yet')]).toEqual([409, true])
  const ticket = path.replace('/page', '')
  const joined = JSON.parse((await ask(ticket, {}, 'POST', { laptop: 'a'.repeat(32) })).text)
  for (const headers of [{ ...own, 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
    const refused = await open(headers)
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null])
  }
  const replies = await Promise.all([open(), open(), open()])
  expect(replies.map(({ status }) => status).toSorted()).toEqual([303, 410, 410])
  const opened = replies.find(({ status }) => status === 303)
  expect(opened?.headers.get('location')).toBe('/')
  const cookie = opened?.headers.get('set-cookie')?.split(';')[0] ?? ''
  const self: Self = JSON.parse((await ask('/self', { cookie })).text)
  expect(self.member?.member_id).toBe(joined.member_id)
})
