// suite: 7 s
// Videos of the pass-through: ordered and fetched with the vendor's own client, by the parameter table of the specification, for one team only.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GenerateVideosOperation, GoogleGenAI } from '@google/genai'
import { type OrderedVideo, orderVideo, settleVideo } from './testing/order-video.ts'
import { createPassThroughCaller } from './testing/pass-through-caller.ts'
import { buildImage } from './testing/sample-files.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges, runStored, sumCost } from './testing/stored-rows.ts'

const second = 'video-2.0-generate-001'
const third = 'video-3.0-generate-001'
const halfDollar = 500_000_000
const ready = 'Waves [[sandbox: videoMs=0]]'

let fairgate: Fairgate
let pixel: string
beforeAll(async () => {
  fairgate = await startFairgate()
  pixel = Buffer.from(await buildImage().arrayBuffer()).toString('base64')
})
afterAll(() => fairgate.stop())

async function openTeam(name: string, changes: object = {}) {
  const key = await fairgate.manage.team(name, changes)
  return { key, ...createPassThroughCaller(fairgate, key) }
}

const spendOf = async (team: string) =>
  Math.round((await fairgate.manage.teamInfo(team)).team_info.spend * 1e9)
const pathOf = (model: string) => `models/${model}:predictLongRunning`
const bodyOf = (parameters?: object, image?: object, prompt = ready) => ({
  instances: [{ prompt, ...(image === undefined ? {} : { image }) }],
  ...(parameters === undefined ? {} : { parameters }),
})

type Download = (
  client: GoogleGenAI,
  operation: GenerateVideosOperation,
  downloadPath: string,
) => Promise<void>

/** Uses the vendor's client; returns the operation's download address and the first downloaded bytes. */
async function makeVideo(gatewayUrl: string, apiKey: string, download: Download) {
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${gatewayUrl}/vendor` } })
  let operation = await client.models.generateVideos({ model: third, source: { prompt: ready } })
  expect(operation.name).toMatch(new RegExp(`^models/${third}/operations/[\\w-]+$`))
  while (operation.done !== true) {
    await Bun.sleep(50)
    operation = await client.operations.getVideosOperation({ operation })
  }
  const video = operation.response?.generatedVideos?.[0]?.video
  if (video === undefined) throw new Error('There is no video.')
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-video-'))
  try {
    const downloadPath = join(folder, 'video.mp4')
    await download(client, operation, downloadPath)
    const read = () => (existsSync(downloadPath) ? readFileSync(downloadPath) : Buffer.alloc(0))
    // The client resolves before its file is written.
    while (read().length < 8) await Bun.sleep(20)
    return { uri: video.uri ?? '', kind: read().subarray(4, 8).toString() }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The lines that the page gives, as they are there. */
async function readDocumentedDownload(): Promise<Download> {
  const docs = await Bun.file(join(import.meta.dir, '../../../docs/files.md')).text()
  const [, lines = ''] = /## Videos over plain http\n[^`]*`[^`]*`[^`]*```ts\n(.*?)```/s.exec(docs) ?? []
  expect(lines).toContain("downloadPath: 'video.mp4'")
  const AsyncFunction = (async () => undefined).constructor as new (...text: string[]) => Download
  return new AsyncFunction(
    'client',
    'operation',
    'downloadPath',
    lines.replace("downloadPath: 'video.mp4'", 'downloadPath'),
  )
}

test("spec 2.8, spec 3.4, spec 4.1: the vendor's client orders, polls and downloads a video", async () => {
  const { key } = await openTeam('genai')
  const { uri, kind } = await makeVideo(fairgate.gatewayUrl, key, await readDocumentedDownload())
  expect(uri).toStartWith(`${fairgate.gatewayUrl}/vendor/v1beta/files/`)
  expect(kind).toBe('ftyp')
})

test('with an https address the client downloads the video itself', async () => {
  const secured = await startFairgate({ variables: { FAIRGATE_GATEWAY_URL: 'https://gateway.example.org' } })
  try {
    const key = await secured.manage.team('secured')
    const { uri, kind } = await makeVideo(
      secured.gatewayUrl,
      key,
      async (client, operation, downloadPath) => {
        const video = operation.response?.generatedVideos?.[0]?.video ?? {}
        await client.files.download({ file: video, downloadPath })
      },
    )
    expect(uri).toStartWith('https://gateway.example.org/vendor/v1beta/files/')
    expect(kind).toBe('ftyp')
  } finally {
    await secured.stop()
  }
})

test('spec 4.1: a video starts from an image, as the client sends it', async () => {
  const { key } = await openTeam('genai-image')
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${fairgate.gatewayUrl}/vendor` } })
  const operation = await client.models.generateVideos({
    model: second,
    source: { prompt: ready, image: { imageBytes: pixel, mimeType: 'image/png' } },
    config: { numberOfVideos: 2, durationSeconds: 5, personGeneration: 'allow_adult', aspectRatio: '9:16' },
  })
  expect(operation.name).toStartWith(`models/${second}/operations/`)
})

describe('spec 4.1, spec 8: the parameter table', () => {
  const image = () => ({ bytesBase64Encoded: pixel, mimeType: 'image/png' })
  type Case = [model: string, withImage: boolean, parameters: object]
  const allowed: Case[] = [
    [third, false, {}],
    [third, true, { personGeneration: 'allow_adult' }],
    [third, false, { personGeneration: 'allow_all' }],
    [third, false, { aspectRatio: '16:9', resolution: '1080p' }],
    [third, false, { aspectRatio: '9:16', resolution: '720p' }],
    [third, false, { resolution: '1080p', negativePrompt: 'rain', sampleCount: 1 }],
    ['video-3.0-fast-generate-001', false, { aspectRatio: '9:16' }],
    ['video-3.1-fast-generate-preview', false, { resolution: '720p' }],
    [second, false, { durationSeconds: 5, sampleCount: 2 }],
    [second, false, { durationSeconds: 8, aspectRatio: '9:16' }],
    ...['allow_all', 'allow_adult', 'dont_allow'].map(
      (personGeneration): Case => [second, false, { personGeneration }],
    ),
    ...['allow_adult', 'dont_allow'].map((personGeneration): Case => [second, true, { personGeneration }]),
  ]
  test.each(allowed)('%s, image %p, %j', async (model, withImage, parameters) => {
    const { post } = await openTeam(`allowed-${Bun.hash(JSON.stringify([model, withImage, parameters]))}`)
    const response = await post(pathOf(model), bodyOf(parameters, withImage ? image() : undefined))
    expect(response.status).toBe(200)
    expect(response.headers.get('x-gateway-response-cost')).toBe('0.5')
    expect(await response.json()).toEqual({
      name: expect.stringMatching(new RegExp(`^models/${model.replaceAll('.', '\\.')}/operations/[\\w-]+$`)),
    })
  })

  const refused: [field: string, model: string, withImage: boolean, parameters: object][] = [
    ['aspectRatio', third, false, { aspectRatio: '1:1' }],
    ['resolution', third, false, { aspectRatio: '9:16', resolution: '1080p' }],
    ['resolution', third, false, { resolution: '4k' }],
    ['resolution', second, false, { resolution: '720p' }],
    ['durationSeconds', third, false, { durationSeconds: 8 }],
    ['durationSeconds', second, false, { durationSeconds: 4 }],
    ['durationSeconds', second, false, { durationSeconds: 9 }],
    ['durationSeconds', second, false, { durationSeconds: 5.5 }],
    ['sampleCount', third, false, { sampleCount: 2 }],
    ['sampleCount', second, false, { sampleCount: 3 }],
    ['sampleCount', second, false, { sampleCount: 0 }],
    ['personGeneration', third, false, { personGeneration: 'allow_adult' }],
    ['personGeneration', third, false, { personGeneration: 'dont_allow' }],
    ['personGeneration', third, true, { personGeneration: 'allow_all' }],
    ['personGeneration', second, true, { personGeneration: 'allow_all' }],
    ['personGeneration', second, false, { personGeneration: 'everybody' }],
    ['seed', third, false, { seed: 1 }],
    ['storageUri', third, false, { storageUri: 'gs://x' }],
    ['negativePrompt', third, false, { negativePrompt: 1 }],
  ]
  test.each(refused)('no %s: %s, image %p, %j', async (field, model, withImage, parameters) => {
    const team = `refused-${Bun.hash(JSON.stringify([model, withImage, parameters]))}`
    const { call } = await openTeam(team)
    const reply = await call(pathOf(model), bodyOf(parameters, withImage ? image() : undefined))
    expect([reply.status, reply.reason]).toEqual([400, 'invalid_request'])
    expect(reply.text).toContain(field)
    expect(await readCharges(fairgate.place, team)).toEqual([])
  })

  test.each([
    ['no instance', { instances: [] }],
    ['two instances', { instances: [{ prompt: 'a' }, { prompt: 'b' }] }],
    ['no prompt', { instances: [{}] }],
    [
      'an image of another kind',
      { instances: [{ prompt: 'a', image: { bytesBase64Encoded: 'AA', mimeType: 'image/gif' } }] },
    ],
    ['a video to extend', { instances: [{ prompt: 'a', video: { uri: 'https://x/v1beta/files/1' } }] }],
    ['a webhook', { instances: [{ prompt: 'a' }], webhookConfig: { uri: 'https://example.org' } }],
  ])('%s is refused', async (_, body) => {
    const { call } = await openTeam(`body-${Bun.hash(JSON.stringify(body))}`)
    expect(await call(pathOf(third), body)).toMatchObject({ status: 400, reason: 'invalid_request' })
  })

  test('models of other kinds, and models that the key cannot call, are refused', async () => {
    const { call } = await openTeam('models', { models: [third] })
    expect(await call(pathOf('mm-2.5-flash'), bodyOf())).toMatchObject({ status: 403 })
    expect(await call(pathOf(second), bodyOf())).toMatchObject({ status: 403, reason: 'model_not_allowed' })
    expect(await call(pathOf('no-such-model'), bodyOf())).toMatchObject({
      status: 404,
      reason: 'model_not_found',
    })
    const { call: free } = await openTeam('kinds')
    expect(await free(pathOf('mm-2.5-flash'), bodyOf())).toMatchObject({ status: 400 })
  })
})

describe('spec 4.1: money', () => {
  test('half a dollar per request, whatever is made: header, ledger, spend and budget', async () => {
    const { key, post, call } = await openTeam('paying', { max_budget: 1 })
    const response = await post(pathOf(second), bodyOf({ sampleCount: 2, durationSeconds: 8 }))
    expect(response.headers.get('x-gateway-response-cost')).toBe('0.5')
    const [charge] = await readCharges(fairgate.place, 'paying')
    expect([charge?.cost_nano, charge?.units, charge?.endpoint]).toEqual([
      halfDollar,
      '{"request":1}',
      'predictLongRunning',
    ])
    const info = await fetch(`${fairgate.gatewayUrl}/key/info`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await info.json()).toMatchObject({ info: { spend: 0.5 } })
    // Any model of the family, even one unknown to the catalog.
    expect((await post(pathOf('video-9.9-new'), bodyOf())).status).toBe(200)
    expect(await call(pathOf(third), bodyOf())).toMatchObject({ status: 429, reason: 'budget_exceeded' })
    expect(await spendOf('paying')).toBe(2 * halfDollar)
    const again = await fetch(`${fairgate.gatewayUrl}/key/info`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await again.json()).toMatchObject({
      info: { model_spend: { [second]: 0.5, 'video-9.9-new': 0.5 } },
    })
  })

  test.each([
    ['videoError=3', (operation: OrderedVideo) => operation.error?.code === 3],
    [
      'raiFiltered=1',
      (operation: OrderedVideo) => operation.response?.generateVideoResponse?.raiMediaFilteredCount === 1,
    ],
  ])('an operation that ends with %s is refunded once, however often it is polled', async (fault, isEnd) => {
    const team = `failing-${fault}`.replace('=', '-').toLowerCase()
    const { post, get, key } = await openTeam(team)
    const response = await post(
      pathOf(third),
      bodyOf(undefined, undefined, `Waves [[sandbox: videoMs=0; ${fault}]]`),
    )
    const { name } = (await response.json()) as OrderedVideo
    const polls = await Promise.all(Array.from({ length: 8 }, () => get(name)))
    for (const { text } of polls) expect(isEnd(JSON.parse(text) as OrderedVideo)).toBe(true)
    expect(await spendOf(team)).toBe(0)
    await settleVideo(fairgate.gatewayUrl, key, name)
    expect(await spendOf(team)).toBe(0)
    expect(await readCharges(fairgate.place, team)).toHaveLength(2)
  })

  test('an operation that is not polled is refunded too', async () => {
    const { post } = await openTeam('unpolled')
    await post(pathOf(third), bodyOf(undefined, undefined, 'Waves [[sandbox: videoMs=0; videoError=13]]'))
    while ((await spendOf('unpolled')) !== 0) await Bun.sleep(50)
    expect(sumCost(await readCharges(fairgate.place, 'unpolled'))).toBe(0)
  })

  test('a refusal of the upstream keeps its own words and costs nothing', async () => {
    const { call } = await openTeam('refusing')
    const reply = await call(pathOf(third), bodyOf(undefined, undefined, 'Waves [[sandbox: error=400]]'))
    expect([reply.status, reply.reason]).toEqual([400, null])
    expect(JSON.parse(reply.text)).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } })
    expect(await spendOf('refusing')).toBe(0)
  })
})

test('spec 5.2: operations and files belong to the team: by path, by both names, as files or metadata', async () => {
  const owner = await openTeam('owner')
  const { name, file } = await orderVideo(fairgate.gatewayUrl, owner.key)
  const shortName = name.slice(name.indexOf('operations/'))
  const mate = createPassThroughCaller(fairgate, await fairgate.manage.key('owner'))
  for (const { get } of [owner, mate]) {
    expect((await get(name)).status).toBe(200)
    expect((await get(`files/${file}:download?alt=media`)).text.slice(4, 8)).toBe('ftyp')
    const described = JSON.parse((await get(`files/${file}`)).text)
    expect(described).toMatchObject({
      name: `files/${file}`,
      uri: `${fairgate.gatewayUrl}/vendor/v1beta/files/${file}`,
      downloadUri: `${fairgate.gatewayUrl}/vendor/v1beta/files/${file}:download?alt=media`,
    })
  }
  const stranger = await openTeam('stranger')
  const inBody = {
    contents: [{ parts: [{ fileData: { fileUri: `${fairgate.gatewayUrl}/vendor/v1beta/files/${file}` } }] }],
  }
  for (const path of [name, shortName, `files/${file}`, `files/${file}:download?alt=media`])
    expect(await stranger.get(path)).toMatchObject({ status: 404 })
  expect(await stranger.call('models/mm-2.5-flash:generateContent', inBody)).toMatchObject({ status: 400 })
  expect(await owner.get(shortName)).toMatchObject({ status: 200, text: (await owner.get(name)).text })
  expect((await owner.get(`models/${second}/operations/${name.split('/').at(-1)}`)).status).toBe(404)
})

test('a download accepts a range, and needs alt=media', async () => {
  const { key, get } = await openTeam('ranges')
  const { file } = await orderVideo(fairgate.gatewayUrl, key)
  const part = await fetch(`${fairgate.gatewayUrl}/vendor/v1beta/files/${file}:download?alt=media`, {
    headers: { 'x-goog-api-key': key, range: 'bytes=4-7' },
  })
  expect([part.status, await part.text()]).toEqual([206, 'ftyp'])
  expect(await get(`files/${file}:download`)).toMatchObject({ status: 400, reason: 'invalid_request' })
  expect(await get(`files/${file}:download?alt=json`)).toMatchObject({ status: 400 })
  expect(await get(`files/${file}?alt=media`)).toMatchObject({ status: 400 })
  // Lists uploaded files.
  expect(await get('files')).toMatchObject({ status: 200, text: '{}' })
  expect(await get('files/..%2fmodels')).toMatchObject({ status: 404 })
})

test('operations and files of one upstream key are requested with that key', async () => {
  const { key, get } = await openTeam('keyed')
  const { name, file } = await orderVideo(fairgate.gatewayUrl, key)
  await runStored(fairgate.place, 'update video_tasks set upstream_key = ? where team_id = ?', [
    'gone',
    'keyed',
  ])
  await runStored(fairgate.place, 'update vendor_files set upstream_key = ? where team_id = ?', [
    'gone',
    'keyed',
  ])
  expect(await get(name)).toMatchObject({ status: 502, reason: 'upstream_auth' })
  expect(await get(`files/${file}:download?alt=media`)).toMatchObject({
    status: 502,
    reason: 'upstream_auth',
  })
})
