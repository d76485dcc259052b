// The vendor's resumable upload, against replies that it should not send.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { LargeFile } from '../large-files.ts'
import { exchangeDependencies } from '../testing/exchange-dependencies.ts'
import { RefusedCall } from '../upstream-failure.ts'
import { geminiDialect } from './create-gemini-upstream.ts'
import { createGeminiFiles } from './upload-file.ts'

const key = { id: 'k', secret: 'our-key' }
const start = 'https://vendor.example/upload/v1beta/files?upload_id=1'
const file: LargeFile = {
  fileId: 'file-1',
  mimeType: 'application/pdf',
  bytes: 4,
  mark: 'm',
  content: async function* () {
    yield Buffer.from('%PDF')
  },
}
const active = { name: 'files/a', uri: 'https://vendor.example/v1beta/files/a', state: 'ACTIVE' }

/** The upload, with these replies in turn: a text is the address for the pieces, an object the reply's JSON, a number its status. */
async function run(replies: readonly (string | object | number)[], content = file.content) {
  const asked: string[] = []
  const { upload } = createGeminiFiles(
    {
      ...exchangeDependencies(),
      keys: null,
      fetch: async (url, { method = 'GET' }) => {
        const reply = replies[asked.length] ?? 500
        asked.push(`${method} ${url}`)
        if (typeof reply === 'number') return new Response('{}', { status: reply })
        return typeof reply === 'string'
          ? new Response(null, { headers: { 'x-goog-upload-url': reply } })
          : Response.json(reply)
      },
    },
    geminiDialect,
    'https://vendor.example',
  )
  const { signal } = new AbortController()
  const ended = await upload({ ...file, content }, key, signal).catch((failure: unknown) => failure)
  const failure =
    ended instanceof RefusedCall ? ended.error.code : ended instanceof ApiError ? ended.code : null
  return { ended, failure, asked }
}

test('waits until the file can be used, and keeps it as long as the vendor does by its own clock', async () => {
  const [createTime, expirationTime] = ['1999-01-01T00:00:00Z', '1999-01-02T00:00:00Z']
  const processing = { ...active, state: 'PROCESSING' }
  const { ended } = await run([
    start,
    { file: processing },
    processing,
    { ...active, createTime, expirationTime },
  ])
  expect(ended).toEqual({ name: 'files/a', address: active.uri, livesMs: 24 * 3_600_000 })
  expect((await run([start, { file: active }])).ended).toMatchObject({ livesMs: 48 * 3_600_000 })
})

test.each([
  ['another host', 'https://elsewhere.example/upload'],
  ['plain http', 'http://vendor.example/upload'],
  ['no address', ''],
])('sends neither the key nor the file to %s', async (_, address) => {
  const { failure, asked } = await run([address])
  expect([failure, asked.length]).toEqual(['upstream_error', 1])
})

test.each([
  ['no name', { ...active, name: undefined }],
  ['a path as its name', { ...active, name: 'files/../models' }],
  ['no address', { ...active, uri: undefined }],
  ['an address with a line break', { ...active, uri: 'https://v/a\nb' }],
])('a file with %s is an error of the vendor', async (_, described) => {
  expect((await run([start, { file: described }])).failure).toBe('upstream_error')
})

test('a file that the vendor cannot process is refused, and deleted there', async () => {
  const { failure, asked } = await run([start, { file: { ...active, state: 'FAILED' } }])
  expect([failure, asked.at(-1)]).toEqual([
    'upstream_rejected',
    'DELETE https://vendor.example/v1beta/files/a',
  ])
})

test('a file that our own store cannot read is our error, and no other key is tried', async () => {
  const { failure } = await run([start], async function* () {
    yield Buffer.from('%P')
    throw new ApiError('unavailable', {})
  })
  expect(failure).toBe('unavailable')
  const { failure: short } = await run([start, {}], async function* () {
    yield Buffer.from('%P')
  })
  expect(short).toBe('upstream_error')
})
