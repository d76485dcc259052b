// The vendor's Files API: a resumable upload in pieces, files that belong to one key, take a moment and end, and prompts that name them.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Sandbox } from '../start-sandbox.ts'
import { get, post, startTestSandbox } from '../testing/call-sandbox.ts'

let sandbox: Sandbox
let time = 1_000_000
beforeAll(() => {
  sandbox = startTestSandbox(() => time)
})
beforeEach(() => {
  sandbox.resetCounters()
  sandbox.setSwitches({})
})
afterAll(() => sandbox.stop())

const content = Buffer.alloc(300 * 1024, 'word')
const pieceBytes = 256 * 1024
const key = { 'x-goog-api-key': 'right' }

const begin = (headers: Record<string, string> = {}) =>
  fetch(`${sandbox.url}/upload/v1beta/files`, {
    method: 'POST',
    headers: {
      ...key,
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': String(content.byteLength),
      'x-goog-upload-header-content-type': 'text/plain',
      ...headers,
    },
    body: JSON.stringify({ file: { display_name: 'words' } }),
  })
const send = (to: string, command: string, offset: number, piece: Uint8Array) =>
  fetch(to, {
    method: 'POST',
    headers: { 'x-goog-upload-command': command, 'x-goog-upload-offset': String(offset) },
    body: new Uint8Array(piece),
  })

type Described = { name: string; uri: string; state: string; sizeBytes: string; expirationTime: string }

async function upload(): Promise<Described> {
  const to = (await begin()).headers.get('x-goog-upload-url') ?? ''
  expect((await send(to, 'upload', 0, content.subarray(0, pieceBytes))).status).toBe(200)
  const last = await send(to, 'upload, finalize', pieceBytes, content.subarray(pieceBytes))
  expect(last.headers.get('x-goog-upload-status')).toBe('final')
  return ((await last.json()) as { file: Described }).file
}
const ask = (fileUri: string, by = 'right') =>
  post(
    sandbox,
    'models/gemini-2.5-flash:generateContent',
    { contents: [{ parts: [{ fileData: { fileUri } }] }] },
    by,
  )

test('an upload in pieces becomes a file, whose tokens a prompt has', async () => {
  const file = await upload()
  expect(file).toMatchObject({ state: 'ACTIVE', sizeBytes: String(content.byteLength), displayName: 'words' })
  expect(sandbox.counters().files).toBe(1)
  const reply = (await (await ask(file.uri)).json()) as { usageMetadata: { promptTokenCount: number } }
  expect(reply.usageMetadata.promptTokenCount).toBe(content.byteLength / 4)
  const counted = await post(sandbox, 'models/gemini-2.5-flash:countTokens', {
    contents: [{ parts: [{ fileData: { fileUri: file.uri } }] }],
  })
  expect(await counted.json()).toMatchObject({ totalTokens: content.byteLength / 4 })
})

test('pieces must be as announced', async () => {
  expect((await begin({ 'x-goog-upload-header-content-length': '' })).status).toBe(400)
  expect((await begin({ 'x-goog-upload-protocol': 'multipart' })).status).toBe(400)
  expect((await begin({ 'x-goog-api-key': 'unknown' })).status).toBe(400)
  const to = (await begin()).headers.get('x-goog-upload-url') ?? ''
  expect((await send(to, 'upload', 1, content)).status).toBe(400)
  expect((await send(to, 'upload', 0, content.subarray(0, 1000))).status).toBe(400)
  expect((await send(to, 'upload, finalize', 0, content.subarray(0, 1000))).status).toBe(400)
  expect((await send(to, 'upload', 0, content)).status).toBe(404)
  sandbox.setSwitches({ fileError: 503 })
  expect((await begin()).status).toBe(503)
})

test('a file belongs to its key, can be listed and deleted, is processed for a while, and ends after two days', async () => {
  const file = await upload()
  expect((await get(sandbox, file.name)).status).toBe(200)
  expect((await get(sandbox, file.name, 'other')).status).toBe(403)
  const refused = await ask(file.uri, 'other')
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    { error: { message: expect.stringContaining('You do not have permission to access the File') } },
  ])
  expect(await (await get(sandbox, 'files', 'other')).json()).toEqual({})
  expect(await (await get(sandbox, 'files')).json()).toMatchObject({ files: expect.any(Array) })
  const remove = (headers: Record<string, string>) =>
    fetch(`${sandbox.url}/v1beta/${file.name}`, { method: 'DELETE', headers })
  expect((await remove({ 'x-goog-api-key': 'other' })).status).toBe(403)
  expect((await remove(key)).status).toBe(200)
  expect((await ask(file.uri)).status).toBe(403)
  sandbox.setSwitches({ fileMs: 500 })
  const slow = await upload()
  expect(slow.state).toBe('PROCESSING')
  expect((await ask(slow.uri)).status).toBe(400)
  time += 500
  expect(await (await get(sandbox, slow.name)).json()).toMatchObject({ state: 'ACTIVE' })
  time = Date.parse(slow.expirationTime)
  expect((await ask(slow.uri)).status).toBe(403)
})
