// suite: 6 s
// The logbook door as clients see it: the real door, routes, preparation and statements on a database in memory.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import type { EntriesPage } from '@fairgate/contracts/logbook/entries-page.ts'
import type { IngestReply } from '@fairgate/contracts/logbook/ingest.ts'
import type { Kysely } from 'kysely'
import type { Announcement } from '../directory/announcements.ts'
import { createDoor } from '../http/create-door.ts'
import { openTestBodies, plainDoor } from '../http/testing/open-test-door.ts'
import { createStreamTimers } from '../http/testing/stream-timers.ts'
import type { Schema } from '../store/schema/schema.ts'
import { type AppendEntriesInput, appendEntries } from '../store/statements/append-entries.ts'
import { changeBoardLocks } from '../store/statements/board-changes.ts'
import { readEntriesPage } from '../store/statements/list-entries.ts'
import { openTestDatabase } from '../store/testing/open-test-database.ts'
import { EntryPreparer } from './accept-entries/entry-preparer.ts'
import { createLogbookRoutes } from './app.ts'
import { createLogTokenAuthenticator } from './authenticate-log-token.ts'
import { buildEntry } from './testing/build-entry.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const server = { timeout: () => undefined, requestIP: () => ({ address: '127.0.0.1' }) }
const hash = (secret: string) => createHash('sha256').update(secret).digest('hex')

let db: Kysely<Schema>
let preparer: EntryPreparer
let closeDatabase: () => Promise<void>
let isStoreDown: boolean
let reported: Announcement[] = []
let ask: (path: string, init?: RequestInit & { token?: string }) => Promise<Response>

beforeEach(async () => {
  ;({ db, close: closeDatabase } = await openTestDatabase())
  isStoreDown = false
  const handover = { openPort: () => null, discard: () => undefined }
  preparer = new EntryPreparer({ clock: () => now, handover, randomBytes })
  const routes = createLogbookRoutes({
    announcements: () => reported,
    clock: () => now,
    store: {
      read: {
        readEntriesPage: input => {
          if (isStoreDown) return Promise.reject(new Error('disk I/O error'))
          return readEntriesPage(db, input)
        },
      },
      write: {
        appendEntries: (input: AppendEntriesInput) => {
          if (isStoreDown) return Promise.reject(new Error('disk I/O error'))
          return db.transaction().execute(transaction => appendEntries(transaction, { ...input, now }))
        },
      },
      handover,
    },
    preparer,
    observeEntries: () => undefined,
    noteRecorder: () => undefined,
    reportFailure: () => undefined,
  })
  const teams = new Map([
    [hash('aitc_one'), 'team-1'],
    [hash('aitc_two'), 'team-2'],
  ])
  const authenticate = createLogTokenAuthenticator({
    findLogToken: tokenHash => {
      const teamId = teams.get(tokenHash)
      if (teamId === undefined) return undefined
      const [tokenId, tokenName, createdBy] = ['lt_1', 'aitc_...', 'organiser']
      return { tokenHash, tokenId, tokenName, teamId, revokedAt: null, createdAt: 0, createdBy }
    },
  })
  const door = createDoor({
    ...plainDoor,
    name: 'logbook',
    title: 'Logbook',
    description: 'Tests',
    publicUrl: 'http://logbook',
    securityScheme: { type: 'http', scheme: 'bearer' },
    bodies: openTestBodies(),
    authenticate,
    routes,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    newCallId: () => 'call-1',
    streamTimers: createStreamTimers().timers,
  })
  ask = async (path, { token = 'aitc_one', ...init } = {}) => {
    const headers = new Headers(init.headers)
    if (token !== '') headers.set('authorization', `Bearer ${token}`)
    if (init.body !== undefined && !headers.has('content-type'))
      headers.set('content-type', 'application/json')
    return door.fetch(new Request(`http://logbook${path}`, { ...init, headers }), server)
  }
})
afterEach(async () => {
  preparer.close()
  await closeDatabase()
})

const post = (entries: unknown, token = 'aitc_one') =>
  ask('/api/ingest', { method: 'POST', body: JSON.stringify({ entries }), token })
const ingest = async (...entries: unknown[]) => (await (await post(entries)).json()) as IngestReply
const list = async (query = '', token = 'aitc_one') =>
  (await (await ask(`/api/ingest/entries${query}`, { token })).json()) as EntriesPage
const codeOf = async (reply: Response) => {
  const { error } = (await reply.json()) as { error: { code: string; message: string; param: string | null } }
  return `${reply.status} ${error.code}${error.param === null ? '' : ` ${error.param}`}`
}

describe('POST /api/ingest', () => {
  test('answers 202 with counts, rejects, warnings and the head; the other entries are stored', async () => {
    const reply = await post([
      buildEntry(),
      buildEntry(),
      { ts: 1 },
      buildEntry({ ts: '2031-01-01T00:00:00' }),
    ])
    expect(reply.status).toBe(202)
    expect(await reply.json()).toEqual({
      received: 4,
      stored: 2,
      duplicates: 1,
      rejected: [{ index: 2, code: 'invalid_entry', message: "'ts' must be a string." }],
      warnings: [
        { index: 3, code: 'offset_missing', message: expect.any(String) },
        { index: 3, code: 'timestamp_in_future', message: expect.any(String) },
      ],
      head: { seq: 2, chain: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    expect((await list()).items).toHaveLength(2)
  })

  test('sending again is safe, and another team may send the same', async () => {
    const first = await ingest(buildEntry())
    expect(await ingest(buildEntry())).toEqual({ ...first, stored: 0, duplicates: 1 })
    expect(await (await post([buildEntry()], 'aitc_two')).json()).toMatchObject({ stored: 1, duplicates: 0 })
  })

  test('an empty batch, and one without a valid entry, are answered with the head', async () => {
    expect(await ingest()).toMatchObject({ received: 0, stored: 0, head: { seq: 0 } })
    expect(await ingest(7)).toMatchObject({ received: 1, stored: 0, rejected: [{ index: 0 }] })
  })

  test('500 entries of a kilobyte or more', async () => {
    const entries = Array.from({ length: 500 }, (_, n) => buildEntry({ n, prompt: 'x'.repeat(1000) }))
    expect(await ingest(...entries)).toMatchObject({ received: 500, stored: 500, head: { seq: 500 } })
    expect(await codeOf(await post([...entries, buildEntry()]))).toBe('413 too_many_entries entries')
  })

  test.each([
    ['{', '400 invalid_json'],
    ['', '400 invalid_json'],
    ['[]', '400 invalid_request'],
    ['{"entries":{}}', '400 invalid_request entries'],
    [`{"entries":[],"x":"${'x'.repeat(16 * 1024 * 1024)}"}`, '413 payload_too_large'],
  ])('%.20s is refused', async (body, code) => {
    expect(await codeOf(await ask('/api/ingest', { method: 'POST', body }))).toBe(code)
  })

  test('only plain JSON is accepted, with any charset parameter', async () => {
    const send = (headers: Record<string, string>) =>
      ask('/api/ingest', { method: 'POST', body: '{"entries":[]}', headers })
    expect((await send({ 'content-type': 'application/json; charset=utf-8' })).status).toBe(202)
    expect(await codeOf(await send({ 'content-type': 'text/plain' }))).toBe('415 unsupported_media_type')
    const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    expect(await codeOf(await send(gzip))).toBe('415 unsupported_media_type')
  })

  test('a missing or wrong token is 401 before the body is read', async () => {
    const refused = await ask('/api/ingest', { method: 'POST', body: '{', token: '' })
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect(await codeOf(refused)).toBe('401 unauthorized')
    expect(await codeOf(await post([], 'aitc_three'))).toBe('401 unauthorized')
    const foreign = await post([], 'sk-1234')
    expect(await foreign.text()).toContain('only works on the gateway')
  })

  test('a locked board accepts no entries, but can be read', async () => {
    await ingest(buildEntry())
    const audit = { actor: 'admin', action: 'board.lock' }
    await changeBoardLocks(db, { teamIds: ['team-1'], change: 'lock', now, audit })
    expect(await codeOf(await post([buildEntry({ n: 2 })]))).toBe('403 locked')
    expect(await codeOf(await post([]))).toBe('403 locked')
    expect((await list()).items).toHaveLength(1)
    expect((await post([buildEntry()], 'aitc_two')).status).toBe(202)
  })

  test('a failed store is 503 with retry-after, and sending again stores the entry', async () => {
    isStoreDown = true
    const reply = await post([buildEntry()])
    expect(reply.headers.get('retry-after')).toBe('5')
    expect(await codeOf(reply)).toBe('503 unavailable')
    expect(await codeOf(await ask('/api/ingest/entries'))).toBe('503 unavailable')
    isStoreDown = false
    expect(await ingest(buildEntry())).toMatchObject({ stored: 1, duplicates: 0 })
  })
})

describe('GET /api/ingest/entries', () => {
  test('returns exactly the documented members, in UTC and lower case, null if absent', async () => {
    await ingest(buildEntry({ tool_input: { command: 'ls', __proto__: null }, model: null, secret: 'kept' }))
    expect((await list()).items).toEqual([
      {
        ts: '2026-11-21T09:30:00.123Z',
        tool: 'tool-1',
        event: 'UserPromptSubmit',
        session_id: 'session-1',
        repo: 'team/project',
        branch: 'main',
        commit: 'abc1234',
        student: 'student@example.org',
        model: null,
        prompt: null,
        tool_name: null,
        tool_input: { command: 'ls' },
        tool_response: null,
        tool_error: null,
        response_summary: null,
        stop_reason: null,
        received_at: '2026-11-21T12:00:00.000000Z',
      },
    ])
    const stored = await db.selectFrom('entries').select('body').executeTakeFirst()
    expect(JSON.parse(stored?.body ?? '')).toMatchObject({ secret: 'kept', tool: 'Tool-1' })
  })

  test('hostile text and members come back as they were sent', async () => {
    const tool_input: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":[]}}')
    const prompt = '\u0000\ud800<script>alert(1)</script>\u202e\u{1f600}'
    await ingest(buildEntry({ tool_input, prompt }))
    const [item] = (await list()).items
    expect(JSON.stringify(item?.tool_input)).toBe(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":[]}}',
    )
    expect(item?.prompt).toBe(prompt)
    expect('polluted' in {}).toBe(false)
  })

  test('pages through ties by next_before, with filters, each entry once', async () => {
    const entries = Array.from({ length: 25 }, (_, n) =>
      buildEntry({
        session_id: `${n}`,
        event: n % 2 === 0 ? 'Stop' : 'stop',
        tool: n % 3 === 0 ? 'Codex' : 'codex',
      }),
    )
    await ingest(...entries)
    const seen: string[] = []
    let before = ''
    do {
      const page: EntriesPage = await list(`?limit=4&event=Stop&tool=CODEX&before=${before}`)
      seen.push(...page.items.map(({ session_id }) => session_id))
      before = page.next_before ?? ''
    } while (before !== '')
    expect(seen).toEqual(Array.from({ length: 13 }, (_, n) => `${24 - 2 * n}`))
  })

  test('filters: exact event, tool in any case, odd names too; empty means none; unknown parameters are ignored', async () => {
    await ingest(
      buildEntry(),
      buildEntry({ event: 'stop', tool: 'ÄÖ+ \\"' }),
      buildEntry({ event: 'e'.repeat(512) }),
    )
    const count = async (query: string) => (await list(query)).items.length
    expect(await count('?event=&tool=&before=&order=asc')).toBe(3)
    expect(await count('?tool=TOOL-1')).toBe(2)
    expect(await count(`?tool=${encodeURIComponent('äÖ+ \\"')}`)).toBe(1)
    expect(await count('?event=userpromptsubmit')).toBe(0)
    expect(await count(`?event=${'e'.repeat(512)}`)).toBe(1)
    expect(await count(`?event=${'e'.repeat(511)}`)).toBe(0)
    expect(await count('?event=%27%20or%201=1')).toBe(0)
  })

  test('before: strictly earlier, also with a plus sign that was not encoded', async () => {
    await ingest(buildEntry(), buildEntry({ ts: '2026-11-21T09:30:00.124Z' }))
    const count = async (before: string) => (await list(`?before=${before}`)).items.length
    expect(await count('2026-11-21T09:30:00.123Z')).toBe(0)
    expect(await count('2026-11-21T09:30:00.1230001Z')).toBe(1)
    expect(await count('2026-11-21T18:30:00.124+09:00')).toBe(1)
    expect(await count('2026-11-21T18:30:00.124%2B09:00')).toBe(1)
    expect(await count('2026-11-22')).toBe(2)
    expect(await codeOf(await ask('/api/ingest/entries?before=soon'))).toBe('400 invalid_request before')
  })

  test('limit: 50 by default, 200 at most', async () => {
    await ingest(...Array.from({ length: 250 }, (_, n) => buildEntry({ n })))
    const count = async (query: string) => (await list(query)).items.length
    expect(await count('')).toBe(50)
    expect(await count('?limit=')).toBe(50)
    expect(await count('?limit=1')).toBe(1)
    expect(await count('?limit=200')).toBe(200)
    expect(await count('?limit=201')).toBe(200)
    expect(await count('?limit=99999999999999999999')).toBe(200)
    for (const limit of ['0', '-1', 'NaN', 'ten', '1.5', '1e1', '0x10']) {
      expect(await codeOf(await ask(`/api/ingest/entries?limit=${limit}`))).toBe('400 invalid_request limit')
    }
  })

  test('a page also ends at 8 MiB', async () => {
    const tool_error = 'x'.repeat(3 * 1024 * 1024)
    for (const n of [1, 2, 3]) await ingest(buildEntry({ n, tool_error }))
    const first = await list()
    expect(first.items).toHaveLength(2)
    const second = await list(`?before=${first.next_before}`)
    expect([second.items.length, second.next_before]).toEqual([1, null])
  })

  test('a team sees only its own entries; 401 without a token', async () => {
    await ingest(buildEntry())
    expect(await list('', 'aitc_two')).toEqual({ items: [], next_before: null })
    expect(await codeOf(await ask('/api/ingest/entries', { token: '' }))).toBe('401 unauthorized')
  })
})

describe('GET /api/announcements', () => {
  afterEach(() => {
    reported = []
  })

  test('a team reads its current announcements, and none of other teams', async () => {
    const one = { text: 'Lunch', link: null, teams: null, from: now, until: null, removedAt: null }
    const made = { createdAt: now, createdBy: 'admin' }
    reported = [
      { ...one, ...made, announcementId: 'an_1' },
      { ...one, ...made, announcementId: 'an_2', teams: ['someone-else'] },
    ]
    const reply = await ask('/api/announcements', { token: 'aitc_one' })
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(await reply.json()).toEqual({
      items: [
        {
          announcement_id: 'an_1',
          text: 'Lunch',
          link: null,
          from: new Date(now).toISOString(),
          until: null,
        },
      ],
      as_of: new Date(now).toISOString(),
    })
    expect((await ask('/api/announcements', { token: 'aitc_wrong' })).status).toBe(401)
  })
})
