// Videos of both interfaces: ordered, polled, finished, failed and refunded, downloaded, listed, deleted.
import type { Wire } from '../start-wire.ts'
import { recordMoney } from './record-money.ts'
import { pixelBase64, pixelFile, pixelUrl } from './samples.ts'

const lite = 'video-3.1-lite-generate-001'
const root = '/vendor/v1beta'

export async function recordVideos(wire: Wire): Promise<void> {
  const key = await wire.team('videos', { rpm_limit: 1000 })
  const stranger = await wire.team('strangers')
  const post = (name: string, body: object, path = '/v1/videos') =>
    wire.ask(name, `POST ${path}`, {
      bearer: key,
      body: { model: lite, prompt: 'Waves [[sandbox: videoMs=1000]]', ...body },
    })
  const get = (name: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
    wire.ask(name, `GET /v1/videos${path}`, { bearer: key, headers })

  await get('none yet', '')
  const first = (await post('order', { seconds: '4' })).read('id')
  wire.passTime(1)
  const failing = (
    await post('order one that fails', { prompt: 'Waves [[sandbox: videoMs=1000; videoError=13]]' })
  ).read('id')
  wire.passTime(1)
  const filtered = (
    await post('order one that is filtered out', {
      prompt: 'Waves [[sandbox: videoMs=1000; raiFiltered=1]]',
    })
  ).read('id')
  wire.passTime(1)
  const slow = (
    await post(
      'order without the version',
      { seconds: '6', size: '720x1280', prompt: 'Waves [[sandbox: videoMs=1000000]]' },
      '/videos',
    )
  ).read('id')
  wire.passTime(1)
  await post('order in high resolution', {
    model: 'video-3.1-fast-generate-001',
    size: '1920x1080',
    seconds: '8',
  })
  wire.passTime(1)
  await post('order from an image', { input_reference: { image_url: pixelUrl } })
  wire.passTime(1)
  await wire.ask('order by a form', 'POST /v1/videos', {
    bearer: key,
    form: {
      model: lite,
      prompt: 'Waves [[sandbox: videoMs=1000]]',
      seconds: '4',
      size: '1280x720',
      input_reference: pixelFile(),
    },
  })
  wire.passTime(1)
  for (const time of ['first', 'again']) {
    await wire.ask(`order by an Idempotency-Key, ${time}`, 'POST /v1/videos', {
      bearer: key,
      headers: { 'Idempotency-Key': 'video' },
      body: { model: lite, prompt: 'Waves [[sandbox: videoMs=1000]]', seconds: '4' },
    })
  }
  await post('unknown seconds', { seconds: '5' })
  await post('seconds as a number', { seconds: 4 })
  await post('an unknown size', { size: '100x100' })
  await post('no prompt', { prompt: undefined })
  await post('a model without a price a second', { model: 'video-3.0-generate-001' })
  await post('a chat model', { model: 'mm-2.5-flash' })
  await post('upstream 400', { prompt: '[[sandbox: error=400]]' })
  await post('upstream 429', { prompt: '[[sandbox: error=429; retryDelay=9s]]' })
  await get('in the making', `/${first}`)
  await get('content of one in the making', `/${first}/content`)
  await wire.ask('delete one in the making', `DELETE /v1/videos/${first}`, { bearer: key })

  const operation = await recordOrders(wire, key)
  const poll = (name: string, path: string, asked = key) =>
    wire.ask(name, `GET ${root}/${path}`, { vendorKey: asked })
  await poll('pass-through: in the making', operation.made)

  wire.passTime(1100)
  // The server polls each video itself, and copies those of /v1/videos.
  await waitUntilNone(
    wire,
    `wish not like '%videoMs=1000000%'
     and (state = 'processing' or (state = 'completed' and interface = 'videos' and stored_bytes is null))`,
  )

  await get('completed', `/${first}`)
  await get('completed, without the version', `/../videos/${first}`)
  await get('failed', `/${failing}`)
  await get('filtered out', `/${filtered}`)
  await get('still in the making', `/${slow}`)
  await get('content', `/${first}/content`)
  await get('content, a part', `/${first}/content`, { Range: 'bytes=10-19' })
  await get('content, the end', `/${first}/content`, { Range: 'bytes=-10' })
  await get('content, an unknown part', `/${first}/content`, { Range: 'bytes=99999999-' })
  await get('content, an odd range', `/${first}/content`, { Range: 'lines=1-2' })
  await get('content in another form', `/${first}/content?variant=thumbnail`)
  await get('content of a failed one', `/${failing}/content`)
  await get('an unknown one', `/video_${'0'.repeat(32)}`)
  await get('nonsense', '/nonsense')
  await wire.ask('one of another team', `GET /v1/videos/${first}`, { bearer: stranger })
  await get('a list', '')
  await get('a page', '?limit=2&order=asc')
  await get('the page after', `?limit=2&order=asc&after=${failing}`)
  await get('a page after nothing', '?after=video_nothing')
  await get('too long a page', '?limit=1000')
  await wire.ask('list without the version', 'GET /videos?limit=1', { bearer: key })
  await wire.ask('delete', `DELETE /v1/videos/${failing}`, { bearer: key })
  await wire.ask('delete again', `DELETE /v1/videos/${failing}`, { bearer: key })
  await wire.ask('delete without a key', `DELETE /v1/videos/${first}`)

  const done = await poll('pass-through: completed', operation.made)
  await poll('pass-through: failed', operation.failed)
  await poll('pass-through: filtered out', operation.filtered)
  await poll('pass-through: by the short name', `operations/${operation.made.split('/').at(-1)}`)
  await poll('pass-through: an unknown operation', 'models/video-3.0-generate-001/operations/nothing')
  await poll('pass-through: an operation of another team', operation.made, stranger)
  const file = /files\/([\w-]+)/.exec(done.text)?.[1] ?? ''
  await poll('pass-through: file', `files/${file}`)
  await poll('pass-through: file of another team', `files/${file}`, stranger)
  await poll('pass-through: unknown file', 'files/nothing')
  await poll('pass-through: download', `files/${file}:download?alt=media`)
  await wire.ask('pass-through: download of a part', `GET ${root}/files/${file}:download?alt=media`, {
    vendorKey: key,
    headers: { Range: 'bytes=0-9' },
  })
  await poll('pass-through: download without alt', `files/${file}:download`)

  wire.passTime(660_000)
  await waitUntilNone(wire, "state = 'processing'")
  await get('given up', `/${slow}`)

  wire.changeRows(`update video_tasks set expires_at = 1 where task_id = '${first}'`)
  await get('content that is no longer kept', `/${first}/content`)

  wire.recordBackground('upstream requests of the server itself')
  wire.rows(
    'video tasks',
    `select interface, task_id, model_id, cost_nano, endpoint, state, wish, error, stored_bytes, created_at, completed_at, hidden
     from video_tasks where team_id = 'videos' order by created_at, rowid`,
  )
  recordMoney(wire, 'videos')
}

/** predictLongRunning: three orders, polled later, and its refusals. */
async function recordOrders(wire: Wire, key: string) {
  const order = (name: string, body: object, model = 'video-3.0-generate-001') =>
    wire.ask(`pass-through: ${name}`, `POST ${root}/models/${model}:predictLongRunning`, {
      vendorKey: key,
      body,
    })
  const waves = (switches: string, parameters: object = {}) => ({
    instances: [{ prompt: `Waves [[sandbox: videoMs=1000${switches}]]` }],
    parameters,
  })
  wire.passTime(1)
  const made = (await order('order', waves('', { aspectRatio: '16:9', resolution: '1080p' }))).read('name')
  wire.passTime(1)
  const failed = (await order('order one that fails', waves('; videoError=8'))).read('name')
  wire.passTime(1)
  const filtered = (await order('order one that is filtered out', waves('; raiFiltered=1'))).read('name')
  wire.passTime(1)
  await order(
    'order two of the second generation',
    waves('', { sampleCount: 2, durationSeconds: 5 }),
    'video-2.0-generate-001',
  )
  wire.passTime(1)
  await order('order of a family', waves(''), 'video-9.9-future')
  wire.passTime(1)
  await order('order from an image', {
    instances: [
      {
        prompt: 'Waves [[sandbox: videoMs=1000]]',
        image: { bytesBase64Encoded: pixelBase64, mimeType: 'image/png' },
      },
    ],
  })
  await order('two instances', { instances: [{ prompt: 'a' }, { prompt: 'b' }] })
  await order('two of the third generation', waves('', { sampleCount: 2 }))
  await order('an unknown parameter', waves('', { fps: 24 }))
  await order('a chat model', waves(''), 'mm-2.5-flash')
  await order('upstream 400', { instances: [{ prompt: '[[sandbox: error=400]]' }] })
  return { made, failed, filtered }
}

/** Resolves when no task of the team matches. */
async function waitUntilNone(wire: Wire, condition: string): Promise<void> {
  const query = `select task_id from video_tasks where team_id = 'videos' and (${condition})`
  while (wire.readRows(query).length > 0) await Bun.sleep(20)
}
