// Videos are ordered, polled, and downloaded through a redirect to a host that must not see the key.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Sandbox } from './start-sandbox.ts'
import { get, post, startTestSandbox } from './testing/call-sandbox.ts'

let sandbox: Sandbox
let time = 1_000_000
beforeAll(() => {
  sandbox = startTestSandbox(() => time)
})
beforeEach(() => sandbox.resetCounters())
afterAll(() => sandbox.stop())

type Poll = {
  name?: string
  done?: boolean
  error?: { code: number; message: string }
  response?: {
    generateVideoResponse: {
      generatedSamples?: { video: { uri: string } }[]
      raiMediaFilteredCount?: number
      raiMediaFilteredReasons?: string[]
    }
  }
}

const start = async (prompt: string, parameters: object = {}, model = 'veo-3.1-generate-001', more = {}) => {
  const body = { instances: [{ prompt, ...more }], parameters }
  return (await (await post(sandbox, `models/${model}:predictLongRunning`, body)).json()) as Poll
}
const poll = async (name: string | undefined) => (await (await get(sandbox, name ?? '')).json()) as Poll
const finish = async (...facts: Parameters<typeof start>) => {
  const { name } = await start(...facts)
  time += 1_500
  return poll(name)
}
const addressOf = ({ response }: Poll) =>
  new URL(response?.generateVideoResponse.generatedSamples?.[0]?.video.uri ?? '')

describe('a video', () => {
  test('runs for a while, then redirects to an MP4 with range support, billed by the second', async () => {
    const { name } = await start('A cat', { durationSeconds: 6, resolution: '1080p' })
    expect(name).toMatch(/^models\/veo-3\.1-generate-001\/operations\/\w+$/)
    expect(await poll(name)).toEqual({ name: name ?? '' })
    time += 1_500
    const short = name?.slice(name.indexOf('operations/'))
    expect((await poll(short)).done).toBe(true)
    const address = addressOf(await poll(name))
    expect(address.origin).toBe(sandbox.url)
    const headers = { 'x-goog-api-key': 'right' }
    const redirect = await fetch(address, { headers, redirect: 'manual' })
    expect(redirect.status).toBe(302)
    const location = redirect.headers.get('location') ?? ''
    expect((await fetch(location, { headers })).status).toBe(400)
    expect((await fetch(`${location}0`)).status).toBe(403)
    const video = Buffer.from(await (await fetch(location)).arrayBuffer())
    expect(video.toString('latin1', 4, 8)).toBe('ftyp')
    const boxes: string[] = []
    for (let offset = 0; offset < video.length; offset += video.readUInt32BE(offset)) {
      boxes.push(video.toString('latin1', offset + 4, offset + 8))
    }
    expect(boxes).toContain('moov')
    expect(boxes).toContain('mdat')
    const header = video.indexOf('mvhd') + 4
    expect(video.readUInt32BE(header + 16) / video.readUInt32BE(header + 12)).toBe(6)
    const part = await fetch(location, { headers: { range: 'bytes=4-7' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      `bytes 4-7/${video.length}`,
      'ftyp',
    ])
    expect((await fetch(location, { headers: { range: 'bytes=-4' } })).headers.get('content-range')).toBe(
      `bytes ${video.length - 4}-${video.length - 1}/${video.length}`,
    )
    expect((await fetch(location, { headers: { range: 'bytes=9999999-' } })).status).toBe(416)
    const file = await (await get(sandbox, address.pathname.replace(/^\/v1beta\/|:download$/g, ''))).json()
    expect(file).toMatchObject({ mimeType: 'video/mp4', sizeBytes: String(video.length), state: 'ACTIVE' })
    expect(sandbox.counters().billed['veo-3.1-generate-001']).toMatchObject({ videos: 1, seconds: 6 })
  })

  test('belongs to the key that ordered it', async () => {
    const done = await finish('A cat')
    expect((await get(sandbox, done.name ?? '', 'other')).status).toBe(404)
    expect((await fetch(addressOf(done), { headers: { 'x-goog-api-key': 'other' } })).status).toBe(403)
    expect((await get(sandbox, 'models/veo-3.1-generate-001/operations/none')).status).toBe(404)
    expect((await get(sandbox, 'files/none')).status).toBe(403)
  })

  test('takes the set time, fails and is filtered on demand', async () => {
    const slow = await finish('[[sandbox: videoMs=60000]]')
    expect(slow.done).toBeUndefined()
    const failed = await finish('[[sandbox: videoError=8]]')
    expect(failed).toMatchObject({ done: true, error: { code: 8 } })
    expect(failed.response).toBeUndefined()
    const filtered = await finish('[[sandbox: raiFiltered=1]]')
    expect(filtered.response?.generateVideoResponse.generatedSamples).toBeUndefined()
    expect(filtered.response?.generateVideoResponse.raiMediaFilteredReasons).toHaveLength(1)
    const half = await finish('[[sandbox: raiFiltered=1]]', { sampleCount: 2 }, 'veo-2.0-generate-001')
    expect(half.response?.generateVideoResponse.generatedSamples).toHaveLength(1)
  })

  test('every accepted size and length can be downloaded', async () => {
    for (const aspectRatio of ['16:9', '9:16']) {
      for (const resolution of aspectRatio === '16:9' ? ['720p', '1080p', '4k'] : ['720p', '1080p']) {
        for (const durationSeconds of [4, 6, 8]) {
          const done = await finish('A cat', { aspectRatio, resolution, durationSeconds })
          const reply = await fetch(`${addressOf(done).href}&key=right`, { redirect: 'follow' })
          expect(reply.headers.get('content-type')).toBe('video/mp4')
        }
      }
    }
    for (const durationSeconds of [5, 7]) {
      const done = await finish('A cat', { durationSeconds, aspectRatio: '9:16' }, 'veo-2.0-generate-001')
      expect((await fetch(`${addressOf(done).href}&key=right`)).status).toBe(200)
    }
  })

  test('options that a model does not support are refused', async () => {
    const image = { image: { mimeType: 'image/png', bytesBase64Encoded: 'AAAA' } }
    for (const [parameters, model, more] of [
      [{ durationSeconds: 5 }, 'veo-3.1-generate-001', {}],
      [{ durationSeconds: 4 }, 'veo-2.0-generate-001', {}],
      [{ resolution: '720p' }, 'veo-2.0-generate-001', {}],
      [{ sampleCount: 2 }, 'veo-3.1-generate-001', {}],
      [{ aspectRatio: '1:1' }, 'veo-3.1-generate-001', {}],
      [{ resolution: '4k' }, 'veo-3.1-lite-generate-001', {}],
      [{ resolution: '1080p', aspectRatio: '9:16' }, 'veo-3.0-generate-001', {}],
      [{ personGeneration: 'allow_adult' }, 'veo-3.0-generate-001', {}],
      [{ personGeneration: 'allow_all' }, 'veo-3.0-generate-001', image],
      [{ generateAudio: true }, 'veo-3.1-generate-001', {}],
      [{}, 'veo-3.1-generate-001', { colour: 'red' }],
    ] as const) {
      expect((await start('A cat', parameters, model, more)).error?.code).toBe(400)
    }
    const started = await start('A cat', { personGeneration: 'allow_adult' }, 'veo-3.0-generate-001', image)
    expect(started.name).toBeString()
  })
})
