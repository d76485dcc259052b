// SIGHUP: models and prices change while calls run, a faulty file changes nothing, and no request is dropped.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagement } from './testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings, upstreamKey } from './testing/start-fairgate.ts'

let place: Surroundings
let server: SpawnedFairgate
let key: string
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
  key = await createManagement(server.adminUrl, adminKey).team('team', { max_budget: 10 })
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
const costOf = async (answer: Promise<Response>) => {
  const response = await answer
  await response.arrayBuffer()
  return response.headers.get('x-gateway-response-cost')
}

test('a new model and a new price are in force, a running call keeps its own', async () => {
  expect((await ask('two')).status).toBe(404)
  const running = ask('one', 'Jazz [[sandbox: firstByteDelayMs=1500]]')
  while (place.sandbox.counters().running === 0) await Bun.sleep(5)
  writeModels(`models:${song('one', 0.05)}${song('two', 0.5, "\n    retires_on: '2026-01-01'")}`)
  server.kill('SIGHUP')
  await server.printed('The catalog was read anew.')
  expect(await costOf(ask('one'))).toBe('0.05')
  const second = await ask('two')
  await second.arrayBuffer()
  expect(second.headers.get('x-gateway-response-cost')).toBe('0.5')
  expect(second.headers.get('sunset')).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
  await server.printed('The upstream ends this model')
  expect(await costOf(running)).toBe('0.04')
})

test('a faulty file is reported and changes nothing', async () => {
  writeModels(`models:${song('three', -1)}`)
  server.kill('SIGHUP')
  await server.printed('The catalog is faulty')
  expect((await ask('three')).status).toBe(404)
  expect(await costOf(ask('one'))).toBe('0.05')
})

test('a model moves to another upstream, but not to one that was not there at the start', async () => {
  const picture = (upstream: string) => `
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
    writeModels(`models:${picture(upstream)}`)
    server.kill('SIGHUP')
    while (server.output().split(news).length === before) await Bun.sleep(5)
  }
  await readAnew('vendor', 'The catalog was read anew.')
  expect(await widthOf()).toBe(1408)
  await readAnew('own', 'The catalog was read anew.')
  expect(await widthOf()).toBe(1536)
  await readAnew('other', 'The catalog is faulty')
  expect(await widthOf()).toBe(1536)
})
