// Checks what is stored of a request, how entries are distinguished, and that bad ones do not affect the others.
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { canonicalJson } from '@fairgate/contracts/text/canonical-json.ts'
import { buildEntry, encodeBatch } from '../testing/build-entry.ts'
import { prepareEntries } from './prepare-entries.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const encode = (text: string) => new TextEncoder().encode(text)
const prepare = (...entries: unknown[]) => prepareEntries(encodeBatch(entries), now)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function refusalOf(bytes: Uint8Array): string {
  try {
    prepareEntries(bytes, now)
    return 'accepted'
  } catch (error) {
    return error instanceof ApiError ? `${error.status} ${error.code}` : 'thrown'
  }
}

describe('spec 4.2, spec 8: the whole request', () => {
  test.each([
    ['', '400 invalid_json'],
    ['{"entries":[', '400 invalid_json'],
    ['{"entries":[NaN]}', '400 invalid_json'],
    ['null', '400 invalid_request'],
    ['[]', '400 invalid_request'],
    ['"entries"', '400 invalid_request'],
    ['{}', '400 invalid_request'],
    ['{"entries":{}}', '400 invalid_request'],
    ['{"entries":null}', '400 invalid_request'],
    ['{"__proto__":{"entries":[]}}', '400 invalid_request'],
    [`{"entries":[${'1,'.repeat(500)}1]}`, '413 too_many_entries'],
    [`{"entries":[${'1,'.repeat(499)}1]}`, 'accepted'],
    ['{"entries":[]}', 'accepted'],
    ['\ufeff{"entries":[],"more":1}', 'accepted'],
  ])('%p is %s', (body, outcome) => {
    expect(refusalOf(encode(body))).toBe(outcome)
  })

  test('bytes that are not UTF-8 are refused, not repaired', () => {
    expect(refusalOf(new Uint8Array([...encode('{"entries":["'), 0xff, ...encode('"]}')]))).toBe(
      '400 invalid_json',
    )
  })

  test('hostile nesting does not exhaust the stack', () => {
    const depth = 2_000_000
    const outcome = refusalOf(encode(`{"entries":[${'['.repeat(depth)}${']'.repeat(depth)}]}`))
    expect(outcome).toBe('413 payload_too_large')
  })
})

describe('spec 2.10: each entry', () => {
  test('a bad entry is listed, and the others are prepared', () => {
    const { received, prepared, rejected } = prepare(
      buildEntry(),
      null,
      buildEntry({ ts: '' }),
      buildEntry({ n: 1 }),
    )
    expect(received).toBe(4)
    expect(prepared).toHaveLength(2)
    expect(rejected.map(({ index, code }) => [index, code])).toEqual([
      [1, 'invalid_entry'],
      [2, 'invalid_timestamp'],
    ])
  })

  test('the identity is the digest of the canonical JSON as sent, before anything is cut', () => {
    const long = buildEntry({ prompt: `${'x'.repeat(1000)}a` })
    const other = buildEntry({ prompt: `${'x'.repeat(1000)}b` })
    const { prepared } = prepare(long, other)
    const [first, second] = prepared
    expect(first?.identity).toBe(sha256(canonicalJson(long)))
    expect(second?.identity).not.toBe(first?.identity)
    expect(second?.body).toBe(first?.body ?? '')
    expect(first?.bodyHash).toBe(sha256(first?.body ?? ''))
    expect(first?.bodyBytes).toBe(Buffer.byteLength(first?.body ?? ''))
  })

  test('any difference makes another entry, except the order of members', () => {
    const entry = buildEntry({ tool_input: { b: 1, a: 2 } })
    const reordered = Object.fromEntries(Object.entries(entry).reverse())
    const same = prepare(entry, reordered).prepared
    expect(same[0]?.identity).toBe(same[1]?.identity ?? '')
    const different = prepare(
      entry,
      buildEntry({ tool_input: { b: 1, a: 2 }, sequence: 1 }),
      buildEntry({ tool_input: { b: 1, a: 2 }, tool: 'tool-1' }),
      buildEntry({ tool_input: { b: 1, a: 2 }, ts: '2026-11-21T09:30:00.123Z' }),
    ).prepared
    expect(new Set(different.map(({ identity }) => identity)).size).toBe(4)
  })

  test('odd characters and hostile members are stored as they came', () => {
    const text = String.raw`{"ts":"2026-11-21T09:30:00Z","tool":"T\u0000\ud800","event":"\udc00\"\\","session_id":"","repo":"'; drop table entries; --",
      "branch":"\u202e","commit":"","student":"<script>","__proto__":{"polluted":true},"constructor":{"prototype":1}}`
    const { prepared, rejected } = prepareEntries(encode(`{"entries":[${text}]}`), now)
    expect(rejected).toEqual([])
    expect(prepared[0]?.body).toBe(canonicalJson(JSON.parse(text)))
    expect(prepared[0]?.body).not.toMatch(/\u0000|\ud800|\udc00/)
    expect(prepared[0]?.toolKey).toBe('t\\u0000\\ud800')
    expect(prepared[0]?.eventKey).toBe('\\udc00\\"\\\\')
    expect('polluted' in {}).toBe(false)
  })

  test('an entry over 4 MiB is refused, one of 4 MiB is not', () => {
    const room = 4 * 1024 * 1024 - canonicalJson(buildEntry({ tool_error: '' })).length
    const fits = prepare(buildEntry({ tool_error: 'x'.repeat(room) }))
    expect(fits.rejected).toEqual([])
    const { rejected, prepared } = prepare(buildEntry({ tool_error: 'x'.repeat(room + 1) }), buildEntry())
    expect(rejected.map(({ code }) => code)).toEqual(['entry_too_large'])
    expect(prepared).toHaveLength(1)
  })

  test('a missing offset or a time in the future gets a warning, and the entry is stored', () => {
    const { prepared, warnings } = prepare(
      buildEntry({ ts: '2026-11-21T12:04:59Z' }),
      buildEntry({ ts: '2026-11-21T12:05:01Z' }),
      buildEntry({ ts: '2030-01-01T00:00:00' }),
    )
    expect(prepared).toHaveLength(3)
    expect(warnings.map(({ index, code }) => [index, code])).toEqual([
      [1, 'timestamp_in_future'],
      [2, 'offset_missing'],
      [2, 'timestamp_in_future'],
    ])
  })

  test('long filter keys are digests that no plain text can equal', () => {
    const long = 'e'.repeat(300)
    const { prepared } = prepare(buildEntry({ event: long }), buildEntry({ event: `${long}f`.slice(1) }))
    const [first, second] = prepared.map(({ eventKey }) => eventKey)
    expect(first).toMatch(/^"[0-9a-f]{64}$/)
    expect(second).not.toBe(first ?? '')
    const imitation = prepare(buildEntry({ event: first })).prepared[0]
    expect(imitation?.eventKey).not.toBe(first ?? '')
  })
})
