// suite: 7 s
// SIGHUP and the admin door: models and prices change while calls run, an invalid file changes nothing, no request is dropped.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditPage } from '@fairgate/contracts/management/audit.ts'
import type {
  CatalogList,
  CatalogReload,
  EditCatalogPreview,
} from '@fairgate/contracts/management/catalog.ts'
import type { PreviewReply } from '@fairgate/contracts/management/planned-action.ts'
import { createManagement, type Management } from './testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings, upstreamKey } from './testing/start-fairgate.ts'

let place: Surroundings
let server: SpawnedFairgate
let key: string
let manage: Management
const writeModels = (text: string) => writeFileSync(join(place.folder, 'models.yaml'), text)
const song = (name: string, price: number, more = '') => `
  ${name}:
    modality: music
    upstream_id: lyria-3-clip-preview
    context_limit: 100
    formats: [mp3]${more}
    price: { song: ${price} }`

beforeAll(async () => {
  place = await createSurroundings()
  writeModels(`models:${song('one', 0.04)}`)
  const settings = join(place.folder, 'own.yaml')
  writeFileSync(
    settings,
    `models_file: models.yaml\nupstreams: { own: { kind: openai, base_url: '${place.sandbox.url}/openai/v1', api_key_env: OWN_KEY } }\n`,
  )
  server = await spawnFairgate({
    variables: { ...place.variables, FAIRGATE_CONFIG: settings, OWN_KEY: upstreamKey },
    throughLauncher: true,
  })
  manage = createManagement(server.adminUrl, adminKey)
  key = await manage.team('team', { max_budget: 10 })
})
afterAll(async () => {
  server.kill('SIGTERM')
  await server.exited
  await place.remove()
})

const ask = (model: string, input = 'Jazz') =>
  fetch(`${server.gatewayUrl}/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, voice: 'default', input }),
  })
/** A call that stays at the upstream until it is released. */
const startSlowCall = async () => {
  const release = place.holdUpstream()
  const { calls } = place.sandbox.counters()
  const running = ask('one', 'Jazz [[sandbox: firstByteDelayMs=1]]')
  while (place.sandbox.counters().calls === calls) await Bun.sleep(5)
  return { running, release }
}
const costOf = async (answer: Promise<Response>) => {
  const response = await answer
  await response.arrayBuffer()
  return response.headers.get('x-gateway-response-cost')
}

const readPage = async () =>
  (await (await fetch(`${server.gatewayUrl}/docs`)).text()).replaceAll(/<[^>]+>/g, ' ')

test('a new model and a new price apply and are on the page; a running call keeps its old price', async () => {
  expect((await ask('two')).status).toBe(404)
  expect(await readPage()).toMatch(/ one\s+0\.04 /)
  const { running, release } = await startSlowCall()
  writeModels(`models:${song('one', 0.05)}${song('two', 0.5, "\n    retires_on: '2026-01-01'")}`)
  server.kill('SIGHUP')
  await server.printed('The catalog was reloaded.')
  expect(await readPage()).toMatch(/ one\s+0\.05 .* two\s+0\.50 .* 2026-01-01 /s)
  expect(await costOf(ask('one'))).toBe('0.05')
  const second = await ask('two')
  await second.arrayBuffer()
  expect(second.headers.get('x-gateway-response-cost')).toBe('0.5')
  expect(second.headers.get('sunset')).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
  await server.printed('The upstream will retire this model')
  release()
  expect(await costOf(running)).toBe('0.04')
})

test('an invalid file is reported and changes nothing', async () => {
  writeModels(`models:${song('three', -1)}`)
  server.kill('SIGHUP')
  await server.printed('The catalog could not be reloaded')
  expect((await ask('three')).status).toBe(404)
  expect(await costOf(ask('one'))).toBe('0.05')
})

const readAudit = async () => (await (await manage.call('GET', '/audit?limit=3')).json()) as AuditPage

test('the admin door: lists changes and uses of removed models, and writes the audit log', async () => {
  const own = await manage.key('team', { models: ['two'], aliases: { mine: 'two' } })
  const { running, release } = await startSlowCall()
  writeModels(`models:${song('one', 0.06)}${song('three', 1)}`)
  const reply = await manage.post<CatalogReload>('/catalog/reload', {})
  const keyHash = new Bun.CryptoHasher('sha256').update(own).digest('hex')
  expect(reply).toMatchObject({
    models: 2,
    added: ['three'],
    removed: ['two'],
    changed: ['one'],
    warnings: [
      { team_id: 'team', key: keyHash, member: 'models', models: ['two'] },
      { team_id: 'team', key: keyHash, member: 'aliases', models: ['two'] },
    ],
  })
  expect([reply.before.one, reply.after.one]).toEqual([{ price: { song: 0.05 } }, { price: { song: 0.06 } }])
  expect(await costOf(ask('one'))).toBe('0.06')
  release()
  expect(await costOf(running)).toBe('0.05')
  const { models } = (await (await manage.call('GET', '/catalog')).json()) as CatalogList
  expect(models.map(({ id, price }) => [id, price])).toEqual([
    ['one', { song: 0.06 }],
    ['three', { song: 1 }],
  ])
  const { items } = await readAudit()
  expect(items[0]).toMatchObject({
    actor: 'admin',
    action: 'catalog.reload',
    target: 'catalog',
    before: reply.before,
    after: reply.after,
  })
})

test('a dry run shows what a reload would change; the reload is refused if the file has changed since', async () => {
  const before = (await readAudit()).items[0]?.id
  writeModels(`models:${song('one', 0.07)}${song('four', 1)}`)
  const dry = async () => await manage.post<PreviewReply>('/catalog/reload?dry_run=true', {})
  const preview = await dry()
  expect(preview).toMatchObject({
    applied: false,
    changes: [
      { what: 'model', subject: 'four', from: null, to: 'in the catalog' },
      { what: 'model', subject: 'three', from: 'in the catalog', to: null },
      { what: 'model.price', subject: 'one', from: '{"song":0.06}', to: '{"song":0.07}' },
    ],
  })
  expect(preview.warnings.join(' ')).toContain('names unknown models: two')
  expect(await dry()).toMatchObject({ preview_id: preview.preview_id })
  expect([await costOf(ask('one')), (await ask('four')).status]).toEqual(['0.06', 404])
  writeModels(`models:${song('one', 0.08)}${song('four', 1)}`)
  const reload = (id: string) => manage.call('POST', `/catalog/reload?preview_id=${id}&reason=dearer`)
  const refused = (await (await reload(preview.preview_id)).json()) as { error: { code: string } }
  expect([refused.error.code, await costOf(ask('one'))]).toEqual(['preview_outdated', '0.06'])
  expect((await readAudit()).items[0]?.id).toBe(before)
  expect((await reload((await dry()).preview_id)).status).toBe(200)
  expect(await costOf(ask('one'))).toBe('0.08')
  expect((await readAudit()).items[0]).toMatchObject({ action: 'catalog.reload', reason: 'dearer' })
  writeModels(`models:${song('one', 0.06)}${song('three', 1)}`)
  await manage.post('/catalog/reload', {})
})

test('an edit shows its effect, keeps the comments of the file, and applies at once', async () => {
  const path = join(place.folder, 'models.yaml')
  const before = `# Ours.\nmodels:${song('one', 0.06)}${song('three', 1)}\n`
  writeModels(before)
  await manage.post('/catalog/reload', {})
  const models = { one: { price: { song: 0.09 }, rpm_limit: 50 }, three: null }
  const preview = await manage.post<EditCatalogPreview>('/catalog/edit', { models, dry_run: true })
  expect(preview).toMatchObject({
    can_write: true,
    changes: [
      { what: 'model', subject: 'three', to: null },
      { what: 'model.rpm_limit', subject: 'one', from: null, to: 50 },
      { what: 'model.price', subject: 'one', from: '{"song":0.06}', to: '{"song":0.09}' },
    ],
  })
  expect([readFileSync(path, 'utf8'), await costOf(ask('one'))]).toEqual([before, '0.06'])
  const edit = { models, preview_id: preview.preview_id, reason: 'dearer' }
  expect(await manage.post('/catalog/edit', edit)).toMatchObject({ removed: ['three'], changed: ['one'] })
  expect(readFileSync(path, 'utf8')).toBe(preview.file)
  expect(preview.file).toStartWith('# Ours.\n')
  expect([await costOf(ask('one')), (await ask('three')).status]).toEqual(['0.09', 404])
  expect((await readAudit()).items[0]).toMatchObject({ action: 'catalog.reload', reason: 'dearer' })
  const wrong = { models: { one: { price: { songs: 1 } } } }
  const refused = await manage.call('POST', '/catalog/edit', wrong)
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('songs')])
  expect(readFileSync(path, 'utf8')).toBe(preview.file)
  writeModels(`models:${song('one', 0.06)}${song('three', 1)}`)
  await manage.post('/catalog/reload', {})
})

test('a price change of a family is as visible as that of a model', async () => {
  const family = (usd: number) => `
families:
  video-*: { modality: video, upstream_id: veo-*, context_limit: 1, price: { request: ${usd} } }`
  writeModels(`models:${song('one', 0.06)}${song('three', 1)}${family(0.5)}`)
  expect(await manage.post<CatalogReload>('/catalog/reload', {})).toMatchObject({ added: ['video-*'] })
  writeModels(`models:${song('one', 0.06)}${song('three', 1)}${family(0.7)}`)
  const reply = await manage.post<CatalogReload>('/catalog/reload', {})
  expect(reply).toMatchObject({
    changed: ['video-*'],
    before: { 'video-*': { price: { request: 0.5 } } },
    after: { 'video-*': { price: { request: 0.7 } } },
  })
  expect((await readAudit()).items[0]).toMatchObject({ action: 'catalog.reload', after: reply.after })
})

test('an invalid file: 400 with the faulty entry but without the folder, no audit, the old file still applies', async () => {
  const known = (await readAudit()).items[0]?.id
  for (const [text, says] of [
    [`models:${song('three', -1)}`, 'models.yaml: setting models.three.price.song'],
    [`models:${song('three', 1)}${song('four', 1, '\n    aliases: [three]')}`, 'two models are called three'],
    ['models: [', 'models.yaml'],
  ] as const) {
    writeModels(text)
    const reply = await manage.call('POST', '/catalog/reload')
    const { error } = (await reply.json()) as { error: { code: string; message: string } }
    expect([reply.status, error.code]).toEqual([400, 'invalid_request'])
    expect(error.message).toContain(says)
    expect(error.message).not.toContain(place.folder)
  }
  expect(await costOf(ask('one'))).toBe('0.06')
  expect((await readAudit()).items[0]?.id).toBe(known)
})

test('calls run through thirty reloads without a refusal or a third price', async () => {
  let isOver = false
  const costs = new Set<string | null>()
  let answered = 0
  const callers = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      costs.add(await costOf(ask('one')))
      answered += 1
    }
  })
  for (let round = 0; round < 30; round += 1) {
    writeModels(`models:${song('one', round % 2 === 0 ? 0.001 : 0.002)}`)
    await manage.post('/catalog/reload', {})
    // Enough that one of them started after the reload: it must have the new price.
    const known = answered
    while (answered <= known + callers.length && round < 2) await Bun.sleep(1)
  }
  isOver = true
  await Promise.all(callers)
  const prices = new Set<string | null>(['0.06', '0.001', '0.002'])
  expect([...costs].filter(cost => !prices.has(cost))).toEqual([])
  expect([...costs]).toEqual(expect.arrayContaining(['0.001', '0.002']))
})

test('a model can move to another upstream, but not to one that was added after the start', async () => {
  const image = (upstream: string) => `
  painter:
    modality: imggen
    upstream: ${upstream}
    upstream_id: imagen-4.0-generate-001
    context_limit: 100
    price: { image: 0.04 }`
  const paint = () =>
    fetch(`${server.gatewayUrl}/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'painter', prompt: 'A cat', aspect_ratio: '16:9' }),
    })
  const widthOf = async () => {
    const { data } = (await (await paint()).json()) as { data: { b64_json: string }[] }
    return Buffer.from(data[0]?.b64_json ?? '', 'base64').readUInt32BE(16)
  }
  const readAnew = async (upstream: string, news: string) => {
    const before = server.output().split(news).length
    writeModels(`models:${image(upstream)}`)
    server.kill('SIGHUP')
    while (server.output().split(news).length === before) await Bun.sleep(5)
  }
  // The admin door's own reloads are logged too, and the log is written some time after.
  const byThisSignal = '"actor":"SIGHUP"'
  await readAnew('vendor', byThisSignal)
  expect(await widthOf()).toBe(1408)
  await readAnew('own', byThisSignal)
  expect(await widthOf()).toBe(1536)
  await readAnew('other', 'The catalog could not be reloaded')
  expect(await widthOf()).toBe(1536)
})
