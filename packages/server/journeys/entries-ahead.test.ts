// suite: test on sqlite and postgres; 4 s
// Entries dated later than they arrived: our own pages sort them by receipt and show the claimed time; the list of the specification
// keeps its order. Shown to fail on a build that ordered by the claimed times alone.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { LogbookPage } from '@fairgate/contracts/console/logbook.ts'
import type { RecordersReply } from '@fairgate/contracts/console/recorders.ts'
import type { SearchReply } from '@fairgate/contracts/console/search.ts'
import type { SelfEntries } from '@fairgate/contracts/console/self.ts'
import type { EntriesSeries } from '@fairgate/contracts/console/series.ts'
import type { SessionItemsReply, SessionView } from '@fairgate/contracts/console/session-view.ts'
import type { SessionsReply } from '@fairgate/contracts/console/sessions.ts'
import type { TimelineReply } from '@fairgate/contracts/console/timeline.ts'
import type { GeneratedLogToken } from '@fairgate/contracts/management/log-tokens.ts'
import { ingest, readAllEntries, sampleEntry } from './testing/logbook-client.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let key = ''
let token = ''
/** When the last entry was received (Unix ms). */
let receivedAt = 0
const farAhead = '2099-01-01T00:00:00Z'

const send = async (session: string, ...entries: readonly { ts: string; prompt: string }[]) => {
  const tool = { ...sampleEntry, tool: 'codex', session_id: session }
  const numbered = entries.map((entry, place) => ({
    ...{ ...tool, ...entry, recorder: { id: '0123abcd', n: place + 1, version: '1.0.0' } },
  }))
  const reply = await ingest(fairgate.logbookUrl, token, numbered)
  expect(reply.status).toBe(202)
  await reply.body?.cancel()
}
const fromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

async function read<Reply>(path: string): Promise<Reply> {
  const reply = await fairgate.manage.call('GET', path)
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`)
  return (await reply.json()) as Reply
}
async function readSelf<Reply>(path: string): Promise<Reply> {
  const reply = await fetch(`${fairgate.gatewayUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`)
  return (await reply.json()) as Reply
}

beforeAll(async () => {
  fairgate = await startFairgate()
  const { manage } = fairgate
  await manage.post('/team/new', { team_id: 'ferry' })
  const { member_id } = await manage.post<{ member_id: string }>('/people', {
    team_id: 'ferry',
    name: 'Jiwoo',
  })
  key = await manage.key('ferry', { member_id })
  token = (await manage.post<GeneratedLogToken>('/log_token/generate', { team_id: 'ferry', member_id })).token
  await send(
    's-1',
    { ts: fromNow(-2), prompt: 'ferry one' },
    { ts: farAhead, prompt: 'ferry two' },
    { ts: fromNow(60), prompt: 'ferry three' },
  )
  // From a laptop with its clock a second ahead.
  await send('s-1', { ts: fromNow(1 / 60), prompt: 'ferry four' })
  const { items } = await read<LogbookPage>('/logbook?limit=200')
  receivedAt = Math.max(...items.map(({ received_at }) => Date.parse(received_at)))
})
afterAll(() => fairgate.stop())

const numbers = (items: readonly { readonly seq: number }[]) => items.map(({ seq }) => seq)
const newestFirst = [4, 3, 2, 1]

test.each(['', 'team_id=ferry', 'event=UserPromptSubmit', 'tool=codex', 'tool=codex&event=UserPromptSubmit'])(
  'organisers read them by their receipt, page by page: "%s"',
  async query => {
    for (const path of ['/logbook', '/logs/entries']) {
      const seen: number[] = []
      for (let before: string | null = ''; before !== null; ) {
        const page: LogbookPage = await read(`${path}?limit=3&${query}&before=${encodeURIComponent(before)}`)
        seen.push(...numbers(page.items))
        before = page.next_before
      }
      expect([path, seen]).toEqual([path, newestFirst])
    }
  },
)

test('a search finds them in that order, and a time range does not hide them', async () => {
  const find = async (query: string) =>
    (await read<SearchReply>(`/logs/search?q=ferry${query}`)).items.flatMap(({ hits }) => numbers(hits))
  expect(await find('')).toEqual(newestFirst)
  expect(await find(`&until=${encodeURIComponent(fromNow(1))}`)).toEqual(newestFirst)
})

test('teams read them the same way', async () => {
  const { items } = await readSelf<SelfEntries>('/self/entries')
  expect(numbers(items)).toEqual(newestFirst)
  expect(numbers((await readSelf<SelfEntries>('/self/entries?session_id=s-1')).items)).toEqual(newestFirst)
})

test('the timeline shows the claimed times if clocks cannot explain the difference', async () => {
  const { items } = await read<TimelineReply>('/timeline?team_id=ferry&kind=entry')
  expect(items.map(({ ref }) => ref)).toEqual(newestFirst.map(seq => `ferry#${seq}`))
  expect(items.map(({ claimed_at }) => claimed_at === null)).toEqual([true, false, false, true])
  expect(items[2]?.claimed_at).toBe('2099-01-01T00:00:00.000000Z')
  expect(items.every(({ at }) => Date.parse(at) <= receivedAt)).toBe(true)
})

describe('figures made from entries end with the last receipt', () => {
  test('sessions, and their items', async () => {
    const { items: sessions } = await read<SessionsReply>('/sessions?team_id=ferry')
    expect(sessions).toHaveLength(1)
    const view = await read<SessionView>('/sessions/ferry/s-1')
    const ends = [sessions[0]?.last_at, view.last_at].map(at => Date.parse(at ?? ''))
    expect(ends.every(end => end <= receivedAt)).toBe(true)
    expect(view).toMatchObject({ entries: 4, gaps: [] })
    const { items } = await read<SessionItemsReply>('/sessions/ferry/s-1/items')
    expect(items.map(({ ref }) => ref)).toEqual(newestFirst.toReversed().map(seq => `ferry#${seq}`))
    expect(items.every(({ at }) => Date.parse(at) <= receivedAt)).toBe(true)
  })

  test('recorders', async () => {
    const { items } = await read<RecordersReply>('/recorders?team_id=ferry')
    expect(items).toHaveLength(1)
    const [recorder] = items
    for (const at of [recorder?.last_event, recorder?.tools[0]?.last_at])
      expect(Date.parse(at ?? '')).toBeLessThanOrEqual(receivedAt)
  })

  test('figures count them on receipt', async () => {
    const { series } = await read<EntriesSeries>('/series/entries?team_id=ferry&step=5m')
    expect(series.map(({ entries }) => entries)).toEqual([4])
  })
})

test('the list of the specification keeps the claimed times and sorts by them', async () => {
  const entries = await readAllEntries(fairgate.logbookUrl, token, 'limit=2')
  expect(entries.map(({ prompt }) => prompt)).toEqual(['ferry two', 'ferry three', 'ferry four', 'ferry one'])
  expect(entries[0]?.ts).toBe(farAhead)
})

test('an entry of 1970 makes a gap in its session, not working time', async () => {
  await send(
    's-2',
    { ts: '1970-01-01T00:00:00Z', prompt: 'ferry five' },
    { ts: fromNow(0), prompt: 'ferry six' },
  )
  const view = await read<SessionView>('/sessions/ferry/s-2')
  expect(view).toMatchObject({ first_at: '1970-01-01T00:00:00.000Z', active_ms: 0, entries: 2 })
  expect(view.gaps).toHaveLength(1)
})
