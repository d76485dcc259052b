// suite: test on sqlite and postgres; 10 s
// Uploaded files and images by address in an object store or a shared folder, on one server that restarts and on two at once.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { startServer } from '../src/main.ts'
import { findTestPostgres } from '../src/store/testing/create-test-postgres.ts'
import { startObjectStore, type TestObjectStore } from '../src/videos/testing/start-object-store.ts'
import { createManagement } from './testing/management.ts'
import { adminKey, createSurroundings, writeSettings } from './testing/start-fairgate.ts'

const credentials = {
  accessKeyId: 'access-of-the-journeys',
  secretAccessKey: 'secret-of-the-journeys',
  region: 'eu-central-1',
  bucket: 'event',
}

let objects: TestObjectStore
let settings: string
const keys = {
  FAIRGATE_S3_ACCESS_KEY_ID: credentials.accessKeyId,
  FAIRGATE_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
}
beforeEach(() => {
  objects = startObjectStore(credentials)
  settings = `videos: { store: { kind: s3, endpoint: "${objects.url}", region: eu-central-1, bucket: event, prefix: kept/ } }`
})
afterEach(() => objects.stop())

const model = 'mm-2.5-flash'
const text = Buffer.from(`The word is umbrella. ${'x'.repeat(300_000)}`)
const half = 256 * 1024

function clientOf(gatewayUrl: string, apiKey: string) {
  const openai = new OpenAI({ apiKey, baseURL: `${gatewayUrl}/v1`, maxRetries: 0 })
  return {
    openai,
    upload: () => openai.files.create({ file: new File([text], 'notes.txt'), purpose: 'user_data' }),
    read: async (id: string) => Buffer.from(await (await openai.files.content(id)).arrayBuffer()),
    ask: async (id: string) => {
      const content = [{ type: 'file' as const, file: { file_id: id } }]
      const reply = await openai.chat.completions.create({ model, messages: [{ role: 'user', content }] })
      return reply.choices[0]?.message.content ?? ''
    },
    paint: async () => {
      const reply = await openai.images.generate({
        model: 'imggen-4',
        prompt: 'A cat',
        response_format: 'url',
      })
      return new URL(reply.data?.[0]?.url ?? '').pathname
    },
    /** The address of the pieces, without its server. */
    begin: async () => {
      const started = await fetch(`${gatewayUrl}/upload/v1beta/files`, {
        method: 'POST',
        headers: {
          'x-goog-api-key': apiKey,
          'x-goog-upload-protocol': 'resumable',
          'x-goog-upload-command': 'start',
          'x-goog-upload-header-content-length': String(text.byteLength),
          'x-goog-upload-header-content-type': 'text/plain',
        },
      })
      const { pathname, search } = new URL(started.headers.get('x-goog-upload-url') ?? '')
      return pathname + search
    },
  }
}

const send = (url: string, command: string, offset: number, piece: Buffer) =>
  fetch(url, {
    method: 'POST',
    headers: { 'x-goog-upload-command': command, 'x-goog-upload-offset': String(offset) },
    body: new Uint8Array(piece),
  })
const idOf = async (reply: Response) =>
  ((await reply.json()) as { file: { name: string } }).file.name.replace('files/', 'file-')

test('an object store keeps files and images by address over a restart, until they are deleted', async () => {
  const place = await createSurroundings({ settings, variables: keys })
  let server = await startServer(place.variables)
  try {
    const key = await createManagement(server.adminUrl, adminKey).team('team', { max_budget: 10 })
    const before = clientOf(server.gatewayUrl, key)
    const { id } = await before.upload()
    const pieces = await before.begin()
    await send(server.gatewayUrl + pieces, 'upload', 0, text.subarray(0, half))
    const image = await before.paint()
    const bytes = await (await fetch(server.gatewayUrl + image)).bytes()
    expect(objects.list()).toHaveLength(3)
    expect(objects.list().every(name => /^kept\/(?:file|image)-[0-9a-f]{24}_0\.bin$/.test(name))).toBe(true)
    expect(readdirSync(join(place.dataFolder, 'videos'))).toEqual([])
    await server.stop()
    server = await startServer(place.variables)
    const after = clientOf(server.gatewayUrl, key)
    expect((await after.read(id)).equals(text)).toBe(true)
    expect(await after.ask(id)).toContain('umbrella')
    expect(await (await fetch(server.gatewayUrl + image)).bytes()).toEqual(bytes)
    const last = await send(server.gatewayUrl + pieces, 'upload, finalize', half, text.subarray(half))
    const resumed = await idOf(last)
    expect((await after.read(resumed)).equals(text)).toBe(true)
    for (const each of [id, resumed]) await after.openai.files.delete(each)
    expect(objects.list()).toHaveLength(1)
    objects.meet(503)
    const away = await fetch(server.gatewayUrl + image)
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '10'])
    // The image is paid for, and the store does not take it.
    const lost = await after.openai.images.generate({
      model: 'imggen-4',
      prompt: 'A cat',
      response_format: 'url',
    })
    expect(lost.data?.[0]?.url).toStartWith('data:image/png;base64,')
    expect(await after.upload().catch((error: { status: number }) => error.status)).toBe(503)
    expect((await after.openai.files.list()).data).toEqual([])
  } finally {
    await server.stop()
    await place.remove()
  }
})

const testOnPostgres = findTestPostgres() === null ? () => undefined : test

for (const kind of ['an object store', 'a shared folder'] as const)
  testOnPostgres(`two servers with ${kind}: each goes on with what the other has begun`, async () => {
    const isStore = kind === 'an object store'
    const place = await createSurroundings({
      variables: { ...(isStore ? keys : {}), FAIRGATE_JOIN_KEY: 'ab'.repeat(32) },
    })
    const shared = join(place.folder, 'shared')
    writeSettings(
      place.folder,
      isStore ? settings : `videos: { store: { kind: folder, folder: "${shared}" } }`,
    )
    const start = (name: string) =>
      startServer({ ...place.variables, FAIRGATE_DATA_DIR: join(place.folder, name) })
    const list = () => (isStore ? objects.list() : readdirSync(shared))
    const [one, two] = [await start('one'), await start('two')]
    try {
      const key = await createManagement(one.adminUrl, adminKey).team('team', { max_budget: 10 })
      const [first, second] = [clientOf(one.gatewayUrl, key), clientOf(two.gatewayUrl, key)]
      const { id } = await first.upload()
      expect((await second.read(id)).equals(text)).toBe(true)
      expect(await second.ask(id)).toContain('umbrella')
      const image = await first.paint()
      const bytes = await (await fetch(one.gatewayUrl + image)).bytes()
      expect(await (await fetch(two.gatewayUrl + image)).bytes()).toEqual(bytes)
      const pieces = await first.begin()
      await send(two.gatewayUrl + pieces, 'upload', 0, text.subarray(0, half))
      const last = ['upload, finalize', half, text.subarray(half)] as const
      const resumed = await idOf(await send(one.gatewayUrl + pieces, ...last))
      // The reply was lost, and another process gets the repetition.
      expect(await idOf(await send(two.gatewayUrl + pieces, ...last))).toBe(resumed)
      expect((await second.read(resumed)).equals(text)).toBe(true)
      // Sent to both at once, a piece is kept once.
      const racing = await first.begin()
      const race = [one, two].map(({ gatewayUrl }) => send(gatewayUrl + racing, 'upload, finalize', 0, text))
      const replies = await Promise.all(race)
      const whole = replies.filter(({ status }) => status === 200)
      expect(whole.length).toBeGreaterThan(0)
      for (const reply of whole) expect((await second.read(await idOf(reply))).equals(text)).toBe(true)
      for (const { id: each } of (await second.openai.files.list()).data)
        await second.openai.files.delete(each)
      expect(await first.read(id).catch((error: { status: number }) => error.status)).toBe(404)
      expect(list().filter(name => name.includes('file-'))).toEqual([])
      await one.stop()
      expect(await (await fetch(two.gatewayUrl + image)).bytes()).toEqual(bytes)
    } finally {
      await one.stop()
      await two.stop()
      await place.remove()
    }
  })
