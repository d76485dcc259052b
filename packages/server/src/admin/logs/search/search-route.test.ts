// Matches in entries, their positions in texts, and pages that skip none and repeat none.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type SearchReply, searchReplySchema } from '@fairgate/contracts/console/search.ts'
import { Value } from 'typebox/value'
import { packTestEntries } from '../../../store/testing/build-entry-to-append.ts'
import { openAdminDoor } from '../../testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
  for (const team_id of ['red', 'blue']) await door.post('/team/new', { team_id })
})
afterEach(() => door.close())

const noon = Date.UTC(2026, 10, 21, 12)

async function log(
  team: string,
  minute: number,
  members: Readonly<Record<string, unknown>>,
  tokenId = 'lt_1',
) {
  const body = JSON.stringify({ event: 'Stop', session_id: `${team}-1`, tool: 'codex', minute, ...members })
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const entry = {
    identity: bodyHash,
    body,
    bodyBytes: Buffer.byteLength(body),
    bodyHash,
    tsMicros: (noon + minute * 60_000) * 1000,
    toolKey: String(members.tool ?? 'codex'),
    eventKey: String(members.event ?? 'Stop'),
  }
  await door.store.write.appendEntries({
    now: noon + 3_600_000,
    requests: [{ teamId: team, sender: { tokenId, clientAddress: null }, entries: packTestEntries([entry]) }],
  })
}

async function search(q: string, query = ''): Promise<SearchReply> {
  const { status, body } = await door.get(`/logs/search?q=${encodeURIComponent(q)}${query}`)
  expect({ q, status, body }).toMatchObject({ status: 200 })
  return Value.Parse(searchReplySchema, body)
}

const listHits = ({ items }: SearchReply) =>
  items.flatMap(({ team_id, hits }) => hits.map(({ seq }) => `${team_id}#${seq}`))

describe('matches', () => {
  test.each<[string, string, boolean]>([
    ['agedPick', 'return agedpick(heap)', true],
    ['pick aged', 'the AGED one, to pick', true],
    ['"agedPick"', 'return agedpick(heap)', false],
    ['"return agedPick("', 'return agedPick(heap)', true],
    ['"agedPick return"', 'return agedPick(heap)', false],
    ['heap -test', 'heap', true],
    ['heap -test', 'heap and Test', false],
    ['heap -"Test"', 'heap and test', true],
    ['100%', '100% sure', true],
    ['100%', '1000 sure', false],
    ['a_b!', 'A_B!', true],
    ['a_b', 'axb', false],
    ['"say "', 'say "hi"\n', true],
    ['C:\\temp', 'in c:\\TEMP\\x', true],
    ['étude', 'Une ÉTUDE', true],
    ['ÖL', 'öl', true],
    ['큐를', '우선순위 큐를 고쳐', true],
    ['👩', 'a 👩 b', true],
    ['session_id', 'nothing', false],
    ['<script>', '<script>alert(1)</script>', true],
  ])('%s in %s: %p', async (q, prompt, isFound) => {
    await log('red', 1, { prompt })
    expect(listHits(await search(q))).toEqual(isFound ? ['red#1'] : [])
  })

  test('texts within objects and lists, and unknown members', async () => {
    await log('red', 1, { tool_input: { command: ['npm', 'install leftpad'] } })
    await log('red', 2, { another: { deep: [{ word: 'leftpad' }] } })
    const { items } = await search('leftpad')
    expect(items).toMatchObject([{ session_id: 'red-1', tool: 'codex' }])
    expect(items[0]?.hits).toMatchObject([
      { seq: 2, member: 'another', excerpt: 'leftpad', ranges: [[0, 7]] },
      { seq: 1, member: 'tool_input', excerpt: 'install leftpad', ranges: [[8, 15]] },
    ])
  })

  test('filters: team, tool, event, time and person', async () => {
    const { body: member } = await door.post('/people', { team_id: 'red', name: 'Jun' })
    const { member_id } = member as { member_id: string }
    const { body: token } = await door.post('/log_token/generate', { team_id: 'red', member_id })
    await log('red', 1, { prompt: 'word', student: 'Jun@example.org' })
    await log('red', 2, { prompt: 'word', tool: 'claude' }, (token as { token_id: string }).token_id)
    await log('blue', 3, { prompt: 'word', event: 'Start' })
    const found = async (query: string) => listHits(await search('word', query))
    expect(await found('')).toEqual(['blue#1', 'red#2', 'red#1'])
    expect(await found('&team_id=red')).toEqual(['red#2', 'red#1'])
    expect(await found('&tool=claude')).toEqual(['red#2'])
    expect(await found('&event=Start')).toEqual(['blue#1'])
    expect(await found('&from=2026-11-21T12:02:00Z')).toEqual(['blue#1', 'red#2'])
    expect(await found('&until=2026-11-21T12:03:00Z')).toEqual(['red#2', 'red#1'])
    expect(await found(`&person=${member_id}`)).toEqual(['red#2'])
    expect(await found('&person=jun@example.org')).toEqual(['red#1'])
    expect(await found('&person=nobody')).toEqual([])
  })
})

test('the excerpt has 80 characters on each side, and its ranges count code points', async () => {
  const prompt = `${'😀'.repeat(100)} Hit and hit ${'é'.repeat(100)}`
  await log('red', 1, { prompt, response_summary: 'hit' })
  const { items } = await search('hit')
  const [hit] = items[0]?.hits ?? []
  expect(hit).toMatchObject({ member: 'prompt', is_cut: { start: true, end: true } })
  const characters = [...(hit?.excerpt ?? '')]
  expect(characters.length).toBe(80 + 3 + 80)
  expect(hit?.ranges.map(([start, end]) => characters.slice(start, end).join(''))).toEqual(['Hit', 'hit'])
})

test('hits are sorted by session, newest first, and pages of any length skip none and repeat none', async () => {
  const expected: string[] = []
  for (let minute = 1; minute <= 12; minute += 1) {
    const team = minute % 3 === 0 ? 'blue' : 'red'
    const isWanted = minute % 2 === 0
    // Two of the same time.
    await log(team, Math.floor(minute / 2), { prompt: isWanted ? 'word' : 'other', minute })
    if (isWanted) expected.unshift(`${team} ${minute}`)
  }
  for (let limit = 1; limit <= 8; limit += 1) {
    const seen: string[] = []
    for (let query: string | null = ''; query !== null; ) {
      const page: SearchReply = await search('word', `&limit=${limit}${query}`)
      expect(page.hits).toBeLessThanOrEqual(limit)
      expect(page.searched_to === null).toBe(page.next === null)
      seen.push(...listHits(page))
      query = page.next === null ? null : `&after=${page.next}`
    }
    expect(seen.length).toBe(expected.length)
    expect(new Set(seen).size).toBe(expected.length)
  }
  const { items } = await search('word')
  expect(items.map(({ team_id, hits }) => [team_id, hits.length])).toEqual([
    ['blue', 2],
    ['red', 4],
  ])
})

test('a search for something rare reports its progress', async () => {
  for (let minute = 1; minute <= 8; minute += 1) await log('red', minute, { prompt: `entry ${minute}` })
  door.pace.searchMs = 1000
  const page = await search('"entry 1"')
  expect(page).toMatchObject({
    hits: 0,
    searched: { entries: 3 },
    searched_to: '2026-11-21T12:06:00.000000Z',
  })
  door.pace.searchMs = 0
  const rest = await search('"entry 1"', `&after=${page.next}`)
  expect(listHits(rest)).toEqual(['red#1'])
  expect(rest).toMatchObject({ searched: { entries: 5 }, searched_to: null, next: null })
})

test('invalid queries are refused', async () => {
  for (const [query, code] of [
    ['', 'invalid_request'],
    ['?q=', 'invalid_request'],
    ['?q=%20', 'invalid_request'],
    ['?q=-word', 'invalid_request'],
    ['?q=a+b+c+d+e+f+g+h+i', 'invalid_request'],
    [`?q=${'x'.repeat(257)}`, 'invalid_request'],
    ['?q=a&limit=1001', 'invalid_request'],
    ['?q=a&after=x', 'invalid_request'],
    ['?q=a&from=now', 'invalid_request'],
    ['?q=a&team=red', 'invalid_request'],
    ['?q=a&team_id=nobody', 'team_not_found'],
  ])
    expect({ query, ...(await door.get(`/logs/search${query}`)) }).toMatchObject({
      query,
      body: { error: { code } },
    })
})
