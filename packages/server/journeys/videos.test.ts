// suite: test on sqlite; full on postgres; 42 s
// Videos from order to download, as a team's programs see them: states, prices, refunds, owners (spec 2.7, 3.1, 4.1).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Video, VideoList } from '@fairgate/contracts/videos/video.ts'
import OpenAI from 'openai'
import { createVideoClient, type VideoClient } from './testing/make-video.ts'
import { buildImage } from './testing/sample-files.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges, sumCost } from './testing/stored-rows.ts'

const lite = 'video-3.1-lite-generate-001'
const fast = 'video-3.1-fast-generate-001'
const best = 'video-3.1-generate-001'
const ready = 'Waves [[sandbox: videoMs=0]]'

let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate()
})
afterAll(() => fairgate.stop())

async function openTeam(name: string, changes: object = {}): Promise<VideoClient & { readonly key: string }> {
  const key = await fairgate.manage.team(name, changes)
  return { ...createVideoClient(fairgate.gatewayUrl, key), key }
}

async function errorOf(response: Response): Promise<[number, string, string | null]> {
  const { error } = (await response.json()) as { error: { code: string; param: string | null } }
  return [response.status, error.code, error.param]
}

const spendOf = async (team: string) =>
  Math.round((await fairgate.manage.teamInfo(team)).team_info.spend * 1e9)

test('spec 2.7, spec 3.1, spec 4.1: the official client orders, polls, lists, downloads and deletes a video', async () => {
  const { key } = await openTeam('sdk')
  const openai = new OpenAI({ apiKey: key, baseURL: `${fairgate.gatewayUrl}/v1` })
  const ordered = await openai.videos.create({ model: lite as 'sora-2', prompt: ready, seconds: '4' })
  expect(ordered).toMatchObject({ object: 'video', status: 'processing', model: lite, seconds: '4' })
  const video = await createVideoClient(fairgate.gatewayUrl, key).settled(ordered.id)
  expect(video).toMatchObject({ id: ordered.id, status: 'completed', progress: 100, size: '1280x720' })
  expect(video.expires_at).toBeGreaterThan(video.completed_at ?? Number.POSITIVE_INFINITY)
  const listed = await openai.videos.list()
  expect(listed.data.map(item => item.id)).toEqual([ordered.id])
  const content = await openai.videos.downloadContent(ordered.id)
  expect(content.headers.get('content-type')).toBe('video/mp4')
  const file = Buffer.from(await content.arrayBuffer())
  expect(file.subarray(4, 8).toString()).toBe('ftyp')
  expect(await openai.videos.delete(ordered.id)).toEqual({
    id: ordered.id,
    object: 'video.deleted',
    deleted: true,
  })
  expect((await openai.videos.list()).data).toEqual([])
})

test('spec 4.1: a form with an image starts the video from it', async () => {
  const { key, settled } = await openTeam('form')
  const openai = new OpenAI({ apiKey: key, baseURL: `${fairgate.gatewayUrl}/v1` })
  const { id } = await openai.videos.create({
    model: lite as 'sora-2',
    prompt: ready,
    seconds: '4',
    input_reference: buildImage(),
  })
  expect((await settled(id)).status).toBe('completed')
})

test('an image may also be a data URL in JSON', async () => {
  const { make } = await openTeam('data-url')
  const bytes = Buffer.from(await buildImage().arrayBuffer())
  const image_url = `data:image/png;base64,${bytes.toString('base64')}`
  expect((await make({ input_reference: { image_url } })).status).toBe('completed')
})

describe('spec 3.1, spec 4.1: prices, charged at creation', () => {
  test.each([
    [best, '4', '1280x720', 1.6],
    [best, '6', '1920x1080', 2.4],
    [best, undefined, undefined, 3.2],
    [fast, '4', '720x1280', 0.4],
    [fast, '8', '1080x1920', 0.96],
    [lite, '6', '1280x720', 0.3],
    [lite, '8', '1920x1080', 0.64],
  ])('%s, %s s, %s: %d USD', async (model, seconds, size, usd) => {
    const team = `price-${model}-${seconds}-${size}`.replaceAll('.', '-')
    const { order, settled, key } = await openTeam(team)
    const upstreamId = model.replace('video-', 'veo-')
    const billed = () => ({ videos: 0, seconds: 0, ...fairgate.sandbox.counters().billed[upstreamId] })
    const before = billed()
    const response = await order({ model, prompt: ready, seconds, size })
    expect(response.headers.get('x-gateway-response-cost')).toBe(String(usd))
    // Before it is finished.
    const charges = await readCharges(fairgate.place, team)
    expect(charges.map(charge => charge.cost_nano)).toEqual([Math.round(usd * 1e9)])
    const info = await fetch(`${fairgate.gatewayUrl}/key/info`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await info.json()).toMatchObject({ info: { spend: usd } })
    const after = billed()
    expect([after.videos - before.videos, after.seconds - before.seconds]).toEqual([1, Number(seconds ?? 8)])
    const video = (await response.json()) as Video
    expect(await settled(video.id)).toMatchObject({
      status: 'completed',
      seconds: seconds ?? '8',
      size: size ?? '1280x720',
    })
    expect(await spendOf(team)).toBe(Math.round(usd * 1e9))
  })
})

describe('spec 4.1, spec 8: refused values', () => {
  test.each([
    ['seconds', { seconds: '5' }],
    ['seconds', { seconds: 4 }],
    ['size', { size: '4096x2160' }],
    ['prompt', { prompt: '' }],
    ['prompt', { prompt: undefined }],
    ['model', { model: 'mm-2.5-flash' }],
    ['model', { model: 'video-3.0-generate-001' }],
    ['input_reference', { input_reference: 'file.png' }],
    ['input_reference', { input_reference: { file_id: 'file-1' } }],
    ['input_reference', { input_reference: { image_url: 'https://example.org/a.png' } }],
    ['input_reference', { input_reference: { image_url: 'data:image/png;base64,AAAA' } }],
  ])('%s of %j', async (param, changes) => {
    const team = `refused-${Bun.hash(JSON.stringify(changes))}`
    const { order } = await openTeam(team)
    const response = await order({ model: lite, prompt: 'Waves', ...changes })
    expect(await errorOf(response)).toEqual([400, 'invalid_request', param])
    expect(await readCharges(fairgate.place, team)).toEqual([])
  })

  test('a model that does not exist, or that the key cannot call', async () => {
    const { order } = await openTeam('models', { models: [lite] })
    expect(await errorOf(await order({ model: 'no-such-model', prompt: 'Waves' }))).toEqual([
      404,
      'model_not_found',
      'model',
    ])
    expect(await errorOf(await order({ model: best, prompt: 'Waves' }))).toEqual([
      403,
      'model_not_allowed',
      'model',
    ])
  })

  test('more than the budget has; what is left can be spent to the cent', async () => {
    const { order } = await openTeam('lean', { max_budget: 0.4 })
    expect((await order({ model: lite, prompt: ready, seconds: '4' })).status).toBe(200)
    expect(await errorOf(await order({ model: lite, prompt: ready, seconds: '6' }))).toEqual([
      429,
      'budget_exceeded',
      null,
    ])
    expect((await order({ model: lite, prompt: ready, seconds: '4' })).status).toBe(200)
    expect(await spendOf('lean')).toBe(400_000_000)
  })
})

describe('spec 3.1: failures are refunded, once', () => {
  test.each([
    ['videoError=3', 'upstream_rejected'],
    ['videoError=8', 'upstream_overloaded'],
    ['videoError=13', 'upstream_error'],
    ['raiFiltered=1', 'content_policy_violation'],
  ])('a video that ends with %s', async (fault, code) => {
    const team = `failing-${fault.replace('=', '-')}`
    const { make, get, remove } = await openTeam(team, { max_budget: 0.2 })
    const video = await make({ prompt: `Waves [[sandbox: videoMs=0; ${fault}]]` })
    expect(video).toMatchObject({ status: 'failed', progress: 0, error: { code } })
    expect(video.error?.message).not.toBe('')
    const charges = await readCharges(fairgate.place, team)
    expect(charges.map(({ cost_nano, outcome }) => [outcome, cost_nano]).sort()).toEqual([
      ['completed', 200_000_000],
      ['refunded', -200_000_000],
    ])
    expect(await spendOf(team)).toBe(0)
    expect(await errorOf(await get(`/${video.id}/content`))).toEqual([409, 'video_failed', null])
    expect((await make()).status).toBe('completed')
    expect(await spendOf(team)).toBe(200_000_000)
    expect((await remove(video.id)).status).toBe(200)
  })

  test.each([
    ['error=400', 400, 'upstream_rejected'],
    ['error=500', 502, 'upstream_error'],
    ['error=429; retryDelay=60s', 429, 'upstream_rate_limited'],
  ])('an order that the upstream answers with %s creates no video', async (fault, status, code) => {
    const team = `refusing-${status}`
    const { order, get } = await openTeam(team)
    const response = await order({ model: lite, prompt: `Waves [[sandbox: ${fault}]]`, seconds: '4' })
    expect((await errorOf(response)).slice(0, 2)).toEqual([status, code])
    expect(response.headers.get('x-gateway-response-cost')).toBeNull()
    expect(((await (await get('')).json()) as VideoList).data).toEqual([])
    expect(sumCost(await readCharges(fairgate.place, team))).toBe(0)
    const { team_info } = await fairgate.manage.teamInfo(team)
    expect([team_info.spend, team_info.held]).toEqual([0, 0])
  })

  test('an order refused by a busy upstream is sent again once there is room', async () => {
    const { order, settled } = await openTeam('busy')
    const prompt = 'Waves [[sandbox: videoMs=0; error=503; errorTimes=1]]'
    const response = await order({ model: lite, prompt, seconds: '4' })
    expect(response.status).toBe(200)
    expect((await settled(((await response.json()) as Video).id)).status).toBe('completed')
    expect(await spendOf('busy')).toBe(200_000_000)
  })
})

describe('spec 3.1: the file', () => {
  test('is served whole or in ranges, and the ranges match the whole', async () => {
    const { make, get } = await openTeam('ranges')
    const { id } = await make()
    const whole = await (await get(`/${id}/content`)).bytes()
    const part = async (range: string) => {
      const response = await get(`/${id}/content`, { range })
      return [response.status, response.headers.get('content-range'), await response.bytes()] as const
    }
    const { length } = whole
    expect(await part('bytes=10-19')).toEqual([206, `bytes 10-19/${length}`, whole.slice(10, 20)])
    expect(await part('bytes=-5')).toEqual([
      206,
      `bytes ${length - 5}-${length - 1}/${length}`,
      whole.slice(-5),
    ])
    expect(await part(`bytes=${length}-`)).toEqual([416, `bytes */${length}`, new Uint8Array()])
    expect(await part('bytes=9-1')).toEqual([200, null, whole])
  })

  test('is not available before the video is finished', async () => {
    const { order, get, remove } = await openTeam('early')
    const prompt = 'Waves [[sandbox: videoMs=1000000]]'
    const { id } = (await (await order({ model: lite, prompt })).json()) as Video
    const early = await get(`/${id}/content`)
    expect(early.headers.get('retry-after')).toBe('5')
    expect(await errorOf(early)).toEqual([409, 'video_not_ready', null])
    expect(await errorOf(await remove(id))).toEqual([409, 'video_not_ready', null])
    expect(await errorOf(await get(`/${id}/content?variant=thumbnail`))).toEqual([
      400,
      'invalid_request',
      'variant',
    ])
  })

  test('is gone when the video is deleted', async () => {
    const { make, get, remove } = await openTeam('deleting')
    const { id } = await make()
    expect((await remove(id)).status).toBe(200)
    for (const response of [await get(`/${id}`), await get(`/${id}/content`), await remove(id)])
      expect(await errorOf(response)).toEqual([404, 'video_not_found', null])
    expect(await spendOf('deleting')).toBe(200_000_000)
  })
})

test('an order repeated with its Idempotency-Key is the same video, charged once; one that was refused is free again', async () => {
  const { order } = await openTeam('repeating')
  const again = { 'idempotency-key': 'video-1' }
  const body = { model: lite, prompt: ready, seconds: '4' }
  const [first, second] = [await order(body, again), await order(body, again)]
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(await second.json()).toEqual(await first.json())
  expect(await readCharges(fairgate.place, 'repeating')).toHaveLength(1)
  const refused = { 'idempotency-key': 'video-2' }
  const faulty = { ...body, prompt: 'Waves [[sandbox: error=400]]' }
  expect((await order(faulty, refused)).status).toBe(400)
  expect((await order(body, refused)).status).toBe(200)
  expect(await spendOf('repeating')).toBe(400_000_000)
})

test('spec 4.1: lists can be paged in both directions', async () => {
  const { make, get } = await openTeam('lists')
  const made = [(await make()).id, (await make()).id, (await make()).id]
  const page = async (query: string) => {
    const list = (await (await get(`?${query}`)).json()) as VideoList
    expect([list.first_id, list.last_id]).toEqual([list.data[0]?.id ?? null, list.data.at(-1)?.id ?? null])
    return [list.data.map(({ id }) => made.indexOf(id)), list.has_more]
  }
  expect(await page('')).toEqual([[2, 1, 0], false])
  expect(await page('order=asc&limit=2')).toEqual([[0, 1], true])
  expect(await page(`limit=1&after=${made[2]}`)).toEqual([[1], true])
  expect(await page(`after=${made[0]}`)).toEqual([[], false])
  expect(await errorOf(await get('?after=video_none'))).toEqual([404, 'video_not_found', null])
  for (const id of ['%00', 'video_', '..%2f..']) expect((await get(`/${id}`)).status).toBe(404)
  expect(await errorOf(await get('?limit=101'))).toEqual([400, 'invalid_request', 'limit'])
})

test('spec 5.2: another team cannot read, list, poll, download or delete it; another key of the team can', async () => {
  const { make } = await openTeam('owner')
  const { id } = await make()
  const other = await openTeam('stranger')
  for (const response of [
    await other.get(`/${id}`),
    await other.get(`/${id}/content`),
    await other.get(`?after=${id}`),
    await other.remove(id),
  ])
    expect(await errorOf(response)).toEqual([404, 'video_not_found', null])
  expect(((await (await other.get('')).json()) as VideoList).data).toEqual([])
  const mate = createVideoClient(fairgate.gatewayUrl, await fairgate.manage.key('owner'))
  expect((await mate.get(`/${id}/content`)).status).toBe(200)
})

test('spec 8: parallel orders never exceed the budget', async () => {
  const { order } = await openTeam('crowd', { max_budget: 1 })
  const orders = Array.from({ length: 12 }, () => order({ model: lite, prompt: ready, seconds: '4' }))
  const statuses = (await Promise.all(orders)).map(response => response.status)
  expect(statuses.filter(status => status === 200)).toHaveLength(5)
  expect(await spendOf('crowd')).toBe(1_000_000_000)
})

test('without copies the upstream serves the file, whole or in ranges, as long as it has it', async () => {
  const lean = await startFairgate({ settings: 'videos: { keep_files: false }' })
  try {
    const { make, get } = createVideoClient(lean.gatewayUrl, await lean.manage.team('relay'))
    const { id, expires_at, completed_at } = await make()
    expect((expires_at ?? 0) - (completed_at ?? 0)).toBe(48 * 3600)
    const content = await get(`/${id}/content`)
    expect([content.status, content.headers.get('content-type')]).toEqual([200, 'video/mp4'])
    const whole = await content.bytes()
    const part = await get(`/${id}/content`, { range: 'bytes=4-7' })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4-7/${whole.length}`])
    expect(Buffer.from(await part.bytes()).toString()).toBe('ftyp')
    const backwards = await get(`/${id}/content`, { range: 'bytes=9-1' })
    expect([backwards.status, await backwards.bytes()]).toEqual([200, whole])
    await lean.sandbox.stop()
    expect((await errorOf(await get(`/${id}/content`))).slice(0, 2)).toEqual([502, 'upstream_error'])
  } finally {
    await lean.stop()
  }
})
