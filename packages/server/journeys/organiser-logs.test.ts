// suite: test on sqlite; full on postgres; 18 s
// Organisers see all that teams logged: pages over all teams, single entries, exports, and a feed that misses nothing.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type LogbookLine, type LogbookPage, logbookPageSchema } from '@fairgate/contracts/console/logbook.ts'
import type { SearchReply } from '@fairgate/contracts/console/search.ts'
import type { SessionItemsReply, SessionView } from '@fairgate/contracts/console/session-view.ts'
import type { LogEntriesPage, LoggedEntry } from '@fairgate/contracts/management/log-entries.ts'
import { Value } from 'typebox/value'
import { ingest, readAllEntries, sampleEntry } from './testing/logbook-client.ts'
import { adminKey, type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
const tokens = new Map<string, string>()
const teams = ['searched', 'alpha', 'beta', 'gamma', 'odd', 'feed-1', 'feed-2', 'feed-3', 'sent', 'empty']
beforeAll(async () => {
  fairgate = await startFairgate({ variables: { FAIRGATE_TRUSTED_PROXIES: '127.0.0.0/8' } })
  for (const teamId of teams) {
    await fairgate.manage.post('/team/new', { team_id: teamId })
    tokens.set(teamId, (await fairgate.manage.token(teamId)).token)
  }
})
afterAll(() => fairgate.stop())

const send = async (teamId: string, entries: readonly unknown[]) => {
  const response = await ingest(fairgate.logbookUrl, tokens.get(teamId) ?? '', entries)
  expect(response.status).toBe(202)
  await response.body?.cancel()
}
const ask = (path: string) => fairgate.manage.call('GET', path)
const read = async <Reply>(path: string): Promise<Reply> => {
  const response = await ask(path)
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Reply
}
const readLines = async (path: string): Promise<LoggedEntry[]> => {
  const response = await ask(path)
  expect(response.headers.get('content-type')).toBe('application/x-ndjson')
  const text = await response.text()
  return text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as LoggedEntry)
}
async function readPages(query: string): Promise<LoggedEntry[]> {
  const items: LoggedEntry[] = []
  for (let before: string | null = ''; before !== null; ) {
    const page: LogEntriesPage = await read(`/logs/entries?${query}&before=${encodeURIComponent(before)}`)
    items.push(...page.items)
    before = page.next_before
  }
  return items
}
const placeOf = ({ team_id, seq }: LoggedEntry) => `${team_id}:${seq}`
const refused = async (path: string) => {
  const response = await ask(path)
  const { error } = (await response.json()) as { error: { code: string; param: string; message: string } }
  return { status: response.status, ...error }
}

describe('spec 6.5: pages', () => {
  const entryAt = (second: number, changes: object = {}) => ({
    ...sampleEntry,
    ts: `2026-11-21T10:00:${String(second).padStart(2, '0')}Z`,
    prompt: `at ${second}`,
    ...changes,
  })
  beforeAll(async () => {
    await send('alpha', [entryAt(1), entryAt(5, { tool: 'Codex' }), entryAt(9)])
    await send(
      'beta',
      Array.from({ length: 40 }, (_, index) => entryAt(5, { prompt: `tied ${index}`, event: 'Stop' })),
    )
    await send('gamma', [entryAt(5), entryAt(7, { tool: 'codex' })])
  })

  // Fails on the build before: the admin door had no such path.
  test.each([1, 3, 7, 200])('of %d over all teams return each entry once, newest first', async limit => {
    const items = await readPages(`limit=${limit}`)
    expect(items).toHaveLength(45)
    expect(new Set(items.map(placeOf)).size).toBe(45)
    const times = items.map(({ ts }) => ts)
    expect(times).toEqual([...times].sort().reverse())
    expect(items.map(placeOf)).toEqual((await readPages('limit=200')).map(placeOf))
  })

  test("accept the filters and cursor of a team's own list", async () => {
    const places = async (query: string) => (await readPages(query)).map(placeOf)
    expect(await places('tool=CODEX')).toEqual(['gamma:2', 'alpha:2'])
    expect(await places('event=Stop&limit=9')).toHaveLength(40)
    expect(await places('team_id=alpha&limit=1')).toEqual(['alpha:3', 'alpha:2', 'alpha:1'])
    const early = encodeURIComponent('2026-11-21T19:00:05+09:00')
    expect((await read<LogEntriesPage>(`/logs/entries?before=${early}`)).items.map(placeOf)).toEqual([
      'alpha:1',
    ])
    const own = await readAllEntries(fairgate.logbookUrl, tokens.get('beta') ?? '', 'limit=7')
    const seen = await readPages('team_id=beta&limit=7')
    expect(seen.map(({ entry }) => (entry as { prompt: string }).prompt)).toEqual(
      own.map(({ prompt }) => prompt),
    )
    expect((await read<LogEntriesPage>('/logs/entries?team_id=empty')).items).toEqual([])
  })

  test('also one per line, in the same order, with the same filters and cursor', async () => {
    const lines: LogbookLine[] = []
    for (let before: string | null = ''; before !== null; ) {
      const page: LogbookPage = await read(`/logbook?limit=7&before=${encodeURIComponent(before)}`)
      lines.push(...page.items)
      before = page.next_before
    }
    expect(lines.map(({ team_id, seq }) => `${team_id}:${seq}`)).toEqual(
      (await readPages('limit=200')).map(placeOf),
    )
    const page = await read<LogbookPage>('/logbook?tool=CODEX&limit=1')
    expect([...Value.Errors(logbookPageSchema, page)]).toEqual([])
    expect(page.items).toMatchObject([
      { team_id: 'gamma', seq: 2, ts: '2026-11-21T10:00:07.000000Z', tool: 'codex', text: 'at 7' },
    ])
    expect(await read<LogbookPage>('/logbook?team_id=empty')).toMatchObject({ items: [], next_before: null })
  })

  test.each([
    ['before=yesterday', 400, 'invalid_request', 'before'],
    ['limit=0', 400, 'invalid_request', 'limit'],
    ['team_id=nobody', 404, 'team_not_found', 'team_id'],
  ])('one per line: %s is refused', async (query, status, code, param) => {
    expect(await refused(`/logbook?${query}`)).toMatchObject({ status, code, param })
  })

  test.each([
    ['entries?before=yesterday', 400, 'invalid_request', 'before'],
    ['entries?before=2026-11-21T10:00:00Z~red', 400, 'invalid_request', 'before'],
    ['entries?limit=0', 400, 'invalid_request', 'limit'],
    ['entries?team_id=nobody', 404, 'team_not_found', 'team_id'],
    ['export.ndjson?team_id=nobody', 404, 'team_not_found', 'team_id'],
    ['export.ndjson?after_seq=3', 400, 'invalid_request', 'after_seq'],
    ['export.ndjson?after_seq=alpha:-1', 400, 'invalid_request', 'after_seq'],
    ['export.ndjson?after_seq=alpha:1,alpha:2', 400, 'invalid_request', 'after_seq'],
    ['export.csv?after_seq=nobody:1', 400, 'invalid_request', 'after_seq'],
    ['export.csv?team_id=alpha&after_seq=99', 400, 'invalid_request', 'after_seq'],
    ['entry?team_id=alpha&entry=0', 400, 'invalid_request', 'entry'],
    ['entry?team_id=alpha', 400, 'invalid_request', 'entry'],
    ['entry?team_id=alpha&entry=4', 404, 'entry_not_found', 'entry'],
    [`entry?team_id=alpha&entry=${'0'.repeat(64)}`, 404, 'entry_not_found', 'entry'],
  ])('%s is refused with the reason', async (path, status, code, param) => {
    expect(await refused(`/logs/${path}`)).toMatchObject({ status, code, param })
  })
})

describe('spec 6.5: an entry with unknown members', () => {
  /** Integer-like names and `__proto__` change place or vanish when JSON is parsed and written again without care. */
  const text =
    `{"10":1,"9":{"b":[],"a":null},"__proto__":{"x":1},"event":"Stop","unknown":"\\u0000\\ud800\u2028é",` +
    `"prompt":"=HYPERLINK(\\"http://x\\",\\"a\\")\\r\\nsecond, line","tool_error":"'quoted","stop_reason":"-1+1",` +
    `"student":"  @SUM(A1)","tool_input":{"k":["v","=1"]},"ts":"2026-11-21T10:00:00.5+09:00","tool":"Tool-1",` +
    `"session_id":"s","repo":"＝1","branch":"main","commit":"+1"}`
  let stored: string
  beforeAll(async () => {
    const response = await fetch(`${fairgate.logbookUrl}/api/ingest`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.get('odd')}`, 'content-type': 'application/json' },
      body: `{"entries":[${text}]}`,
    })
    expect(response.status).toBe(202)
    const [row] = await readPages('team_id=odd')
    const json = await (await ask('/logs/entry?team_id=odd&entry=1')).text()
    stored = /"entry":(\{.*\})\}$/s.exec(json)?.[1] ?? ''
    expect(row?.id).toBe(createHash('sha256').update(stored).digest('hex'))
  })

  test('is shown byte for byte, in a page, alone by number or id, and exported', async () => {
    const { id } = await read<LoggedEntry>('/logs/entry?team_id=odd&entry=1')
    // Short enough to be stored in full, so its id is the digest of its bytes.
    expect(id).toBe(createHash('sha256').update(stored).digest('hex'))
    for (const path of [
      `/logs/entry?team_id=odd&entry=${id}`,
      '/logs/entries?team_id=odd',
      '/logs/export.ndjson?team_id=odd',
    ])
      expect(await (await ask(path)).text()).toContain(`"entry":${stored}}`)
  })

  test('survives CSV: no cell is a formula, and the stored text is read back', async () => {
    const response = await ask('/logs/export.csv?team_id=odd')
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="fairgate-entries-odd.csv"',
    )
    const [titles = [], cells = [], ...rest] = parseCsv(await response.text())
    expect(rest).toEqual([])
    for (const cell of cells) expect(cell).not.toMatch(/^[\s\p{C}]*[=+\-@＝＋－＠]/u)
    const row = Object.fromEntries(
      titles.map((title, index) => [title, (cells[index] ?? '').replace(/^'/, '')]),
    )
    const sent = JSON.parse(text) as Record<string, unknown>
    for (const name of ['prompt', 'tool_error', 'stop_reason', 'student', 'repo', 'commit'])
      expect(row[name]).toBe(String(sent[name]))
    expect(row).toMatchObject({ team_id: 'odd', seq: '1', ts: '2026-11-21T01:00:00.500000Z', model: '' })
    expect(row.tool_input).toBe('{"k":["v","=1"]}')
    expect(row.entry).toBe(stored)
    const bytes = await (await ask('/logs/export.csv?team_id=odd&bom=true')).arrayBuffer()
    expect([...new Uint8Array(bytes, 0, 4)]).toEqual([0xef, 0xbb, 0xbf, 0x22])
  })
})

describe('spec 6.5: the feed', () => {
  const feedTeams = ['feed-1', 'feed-2', 'feed-3']

  // Shown to fail with one position for all teams in admin/logs/plan-feed.ts.
  test('misses and repeats nothing while twelve senders write', async () => {
    const perSender = 30
    let isOver = false
    const sending = Promise.all(
      Array.from({ length: 12 }, async (_, sender) => {
        const team = feedTeams[sender % 3] ?? ''
        for (let batch = 0; batch < perSender; batch += 1)
          await send(
            team,
            [0, 1].map(part => ({ ...sampleEntry, prompt: `${sender}/${batch}/${part}` })),
          )
      }),
    ).then(() => {
      isOver = true
    })
    const seen: LoggedEntry[] = []
    const positions = new Map(feedTeams.map(team => [team, 0]))
    for (let isLast = false; !isLast; ) {
      isLast = isOver
      const after = [...positions].map(([team, seq]) => `${team}:${seq}`).join(',')
      const lines = (await readLines(`/logs/export.ndjson?after_seq=${after}&event=UserPromptSubmit`)).filter(
        ({ team_id }) => positions.has(team_id),
      )
      for (const line of lines) positions.set(line.team_id, line.seq)
      seen.push(...lines)
    }
    await sending
    for (const team of feedTeams) {
      const numbers = seen.filter(({ team_id }) => team_id === team).map(({ seq }) => seq)
      expect(numbers).toEqual(Array.from({ length: 4 * perSender * 2 }, (_, index) => index + 1))
    }
    expect(new Set(seen.map(({ id, team_id }) => `${team_id} ${id}`)).size).toBe(12 * perSender * 2)
  })

  test('continues from a number, also with a filter, across its read steps', async () => {
    await send(
      'empty',
      Array.from({ length: 450 }, (_, index) => ({
        ...sampleEntry,
        prompt: `${index}`,
        event: index % 150 === 149 ? 'Stop' : 'PostToolUse',
      })),
    )
    const numbers = async (query: string) =>
      (await readLines(`/logs/export.ndjson?team_id=empty${query}`)).map(({ seq }) => seq)
    expect(await numbers('')).toEqual(Array.from({ length: 450 }, (_, index) => index + 1))
    expect(await numbers('&after_seq=448')).toEqual([449, 450])
    expect(await numbers('&after_seq=450')).toEqual([])
    expect(await numbers('&event=Stop')).toEqual([150, 300, 450])
    expect(await numbers('&event=PostToolUse')).toHaveLength(447)
    expect(await numbers('&after_seq=empty:150&event=Stop')).toEqual([300, 450])
    expect(await numbers('&event=Stop&tool=nobody')).toEqual([])
  })
})

test('an export needs the admin key and is never cached', async () => {
  const url = `${fairgate.adminUrl}/logs/export.ndjson`
  for (const secret of ['', tokens.get('alpha') ?? '', 'wrong'])
    expect((await fetch(url, { headers: { authorization: `Bearer ${secret}` } })).status).toBe(401)
  const reply = await fetch(url, { headers: { authorization: `Bearer ${adminKey}` } })
  expect(reply.headers.get('cache-control')).toBe('no-store')
  await reply.body?.cancel()
})

/** Parses RFC 4180, only for the test. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted = '', end = ''] of text.matchAll(/"((?:[^"]|"")*)"(,|\r\n)/g)) {
    row.push(quoted.replaceAll('""', '"'))
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

describe('the sender of an entry', () => {
  test('is shown: the token id, and the address as far as proxies are trusted', async () => {
    const second = await fairgate.manage.token('sent')
    const from = async (token: string, prompt: string, headers: Readonly<Record<string, string>>) => {
      const response = await fetch(`${fairgate.logbookUrl}/api/ingest`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        // Large ones are prepared on a separate thread.
        body: JSON.stringify({ entries: [{ ...sampleEntry, prompt, tool_error: 'x'.repeat(40_000) }] }),
      })
      expect(response.status).toBe(202)
    }
    await from(tokens.get('sent') ?? '', 'first', {})
    await from(second.token, 'second', { 'x-forwarded-for': '10.9.9.9, 203.0.113.9' })
    const senders = ({ token_id, client_address }: LoggedEntry) => [token_id, client_address]
    const lines = await readLines('/logs/export.ndjson?team_id=sent')
    const [firstToken] = lines.map(({ token_id }) => token_id)
    expect(lines.map(senders)).toEqual([
      [expect.stringMatching(/./), '127.0.0.1'],
      [second.token_id, '203.0.113.9'],
    ])
    expect(firstToken).not.toBe(second.token_id)
    expect(senders(await read<LoggedEntry>('/logs/entry?team_id=sent&entry=2'))).toEqual(
      senders(lines[1] as LoggedEntry),
    )
    expect((await readPages('team_id=sent')).map(senders).sort()).toEqual(lines.map(senders).sort())
    // The team's own list has the members of the specification and no more.
    const [own] = await readAllEntries(fairgate.logbookUrl, second.token)
    expect(Object.keys(own ?? {})).not.toContain('client_address')
  })
})

describe('search and sessions', () => {
  const secret = '</script><img src=x onerror=alert(1)>\u202e\u001b[2J=cmd|"A1"\u0000 LONGWORD'
  beforeAll(() =>
    send('searched', [
      { ...sampleEntry, session_id: 'x/y ü', prompt: secret, tool_input: { command: 'Grüße AN alle' } },
      { ...sampleEntry, session_id: 'x/y ü', ts: '2026-11-21T10:00:05+09:00', prompt: 'something else' },
    ]),
  )

  test('an entry is found by its words, and hostile text is returned unchanged', async () => {
    for (const q of ['longword', 'grüße', '"Grüße AN"', 'GRÜSSE -else', '"=cmd|"', 'onerror=alert(1)']) {
      const page = await read<SearchReply>(`/logs/search?team_id=searched&q=${encodeURIComponent(q)}`)
      const isFound = q !== 'GRÜSSE -else'
      expect([q, page.hits, page.next]).toEqual([q, isFound ? 1 : 0, null])
    }
    const [group] = (await read<SearchReply>('/logs/search?team_id=searched&q=longword')).items
    expect(group).toMatchObject({ team_id: 'searched', session_id: 'x/y ü', tool: 'claude-code' })
    expect(group?.hits).toMatchObject([{ seq: 1, member: 'prompt', excerpt: secret }])
    const all = await read<SearchReply>('/logs/search?q=something&tool=CLAUDE-code&event=UserPromptSubmit')
    expect(all.items.map(({ team_id }) => team_id)).toContain('searched')
    expect((await read<SearchReply>('/logs/search?q=something&tool=codex')).hits).toBe(0)
  })

  test('a session and its entries, for session ids with any characters', async () => {
    const path = `/sessions/searched/${encodeURIComponent('x/y ü')}`
    expect(await read<SessionView>(path)).toMatchObject({ entries: 2, prompts: 2, tool: 'claude' })
    const { items } = await read<SessionItemsReply>(`${path}/items?around=2`)
    expect(items.map(({ ref }) => ref)).toEqual(['searched#1', 'searched#2'])
    expect(items[0]?.entry).toMatchObject({ entry: { prompt: secret } })
    expect(await read('/entries/searched/1')).toMatchObject({ seq: 1, entry: { prompt: secret } })
  })
})
