// suite: 7 s
// Copies of videos in an object store: whole or not at all, in parts, and what its failures look like. TEST_VERSITYGW names the program of a real one.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '../store/testing/failure-of.ts'
import type { VideoFiles } from './folder-files.ts'
import { SpoolFolder } from './folder-files.ts'
import { createObjectFiles } from './object-files.ts'
import { startObjectStore, type TestObjectStore } from './testing/start-object-store.ts'

const mebibyte = 1024 * 1024
const credentials = {
  accessKeyId: 'access-of-the-tests',
  secretAccessKey: 'secret+of/the=tests',
  region: 'eu-central-1',
  bucket: 'videos-of-the-tests',
}
const { signal } = new AbortController()

type Options = { readonly endpoint: string; readonly folder: string; readonly patienceMs?: number }

function open({ endpoint, folder, patienceMs = 5000 }: Options, changes: object = {}): VideoFiles {
  const client = new Bun.S3Client({ ...credentials, endpoint, ...changes })
  return createObjectFiles({
    spool: new SpoolFolder(folder, {
      extension: 'mp4',
      maxBytes: 50 * mebibyte,
      keepFreeBytes: 0,
      readFreeBytes: async () => 1000 * mebibyte,
      newName: randomUUID,
      clock: Date.now,
    }),
    sign: (name, method) => client.presign(`event 1/${name}`, { method, expiresIn: 900 }),
    fetch,
    patienceMs,
  })
}

function video(mebibytes: number, failAt = Number.POSITIVE_INFINITY): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    pull: controller => {
      if (sent >= mebibytes) return controller.close()
      if (sent >= failAt) return controller.error(new Error('The upstream broke off.'))
      sent += 1
      controller.enqueue(new Uint8Array(mebibyte).fill(sent))
    },
  })
}

const copyOf = (mebibytes: number, taskId = 'video_1') => ({
  taskId,
  video: video(mebibytes),
  expectedBytes: mebibytes * mebibyte,
  signal,
})
const bytesOf = async (body: Awaited<ReturnType<VideoFiles['read']>>) =>
  body === null ? null : await new Response(body).bytes()

type Place = { readonly endpoint: string; readonly stop: () => Promise<void> }

async function startVersity(program: string): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-versity-'))
  mkdirSync(join(folder, 'data', credentials.bucket), { recursive: true })
  mkdirSync(join(folder, 'meta'))
  const port = await new Promise<number>(resolve => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
  const { accessKeyId, secretAccessKey, region } = credentials
  const child = Bun.spawn(
    [
      program,
      ...['--access', accessKeyId, '--secret', secretAccessKey, '--region', region],
      ...['--port', `127.0.0.1:${port}`, '--quiet', 'posix', '--sidecar', join(folder, 'meta')],
      join(folder, 'data'),
    ],
    { stdout: 'ignore', stderr: 'inherit' },
  )
  const endpoint = `http://127.0.0.1:${port}`
  while (
    !(await fetch(endpoint).then(
      () => true,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`versitygw ended with ${child.exitCode}.`)
    await Bun.sleep(20)
  }
  const stop = async () => {
    child.kill('SIGKILL')
    await child.exited
    rmSync(folder, { recursive: true, force: true })
  }
  return { endpoint, stop }
}

const places: readonly (readonly [string, () => Promise<Place>])[] = [
  [
    'our own, strict',
    async () => {
      const { url, stop } = startObjectStore(credentials)
      return { endpoint: url, stop }
    },
  ],
  ...(process.env.TEST_VERSITYGW === undefined
    ? []
    : [['versitygw', () => startVersity(process.env.TEST_VERSITYGW ?? '')] as const]),
]

describe.each(places)('an object store: %s', (_, start) => {
  let place: Place
  let folder: string
  let videos: VideoFiles
  beforeAll(async () => {
    place = await start()
    folder = mkdtempSync(join(tmpdir(), 'fairgate-spool-'))
    videos = open({ endpoint: place.endpoint, folder })
  })
  afterAll(async () => {
    await place.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a video is available, whole and in parts, to every process, and gone when removed', async () => {
    const bytes = 12 * mebibyte
    expect(await videos.save(copyOf(12))).toBe(bytes)
    expect(readdirSync(folder)).toEqual([])
    const other = open({ endpoint: place.endpoint, folder: join(folder, 'other') })
    const all = await bytesOf(await other.read({ taskId: 'video_1', bytes, range: null, signal }))
    expect([all?.length, all?.[0], all?.[mebibyte], all?.[bytes - 1]]).toEqual([bytes, 1, 2, 12])
    const range = { start: mebibyte - 2, end: mebibyte }
    const part = await bytesOf(await other.read({ taskId: 'video_1', bytes, range, signal }))
    expect([...(part ?? [])]).toEqual([1, 1, 2])
    expect(await videos.read({ taskId: 'video_1', bytes: bytes + 1, range: null, signal })).toBeNull()
    expect(await videos.read({ taskId: 'video_1', bytes: bytes + 1, range, signal })).toBeNull()
    await videos.save(copyOf(2))
    expect(await videos.read({ taskId: 'video_1', bytes: 2 * mebibyte, range: null, signal })).not.toBeNull()
    await other.remove('video_1')
    await other.remove('video_1')
    expect(await videos.read({ taskId: 'video_1', bytes: 2 * mebibyte, range: null, signal })).toBeNull()
  })

  test('nothing is stored of a video that breaks off or is too large', async () => {
    const broken = { ...copyOf(4, 'video_2'), video: video(4, 2), expectedBytes: null }
    expect(String(await failureOf(videos.save(broken)))).toContain('broke off')
    const large = { ...copyOf(51, 'video_2'), expectedBytes: null }
    expect(await failureOf(videos.save(large))).toMatchObject({ reason: 'too_large' })
    expect(await videos.read({ taskId: 'video_2', bytes: 2 * mebibyte, range: null, signal })).toBeNull()
    expect(readdirSync(folder).filter(name => name !== 'other')).toEqual([])
  })

  test.each([
    ['another secret', { secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
    ['a bucket that is not there', { bucket: 'no-such-bucket' }, 'NoSuchBucket'],
  ])('%s is an error with the code of the store, never a missing copy', async (__, changes, code) => {
    const wrong = open({ endpoint: place.endpoint, folder }, changes)
    // Versity's server ends the connection in the middle of the upload, before it can report why.
    expect((await failureOf(wrong.save(copyOf(1)))).message).toMatch(new RegExp(`${code}|ECONNRESET`))
    const read = wrong.read({ taskId: 'video_1', bytes: 1, range: null, signal })
    expect((await failureOf(read)).message).toContain(code)
    expect((await failureOf(wrong.remove('video_1'))).message).toContain(code)
  })
})

describe('an object store that fails', () => {
  let store: TestObjectStore
  let folder: string
  let videos: VideoFiles
  beforeEach(() => {
    store = startObjectStore(credentials)
    folder = mkdtempSync(join(tmpdir(), 'fairgate-spool-'))
    videos = open({ endpoint: store.url, folder, patienceMs: 300 })
  })
  afterEach(async () => {
    await store.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const read = () => videos.read({ taskId: 'video_1', bytes: mebibyte, range: null, signal })

  test.each([
    ['is silent', 'hang', 'did not answer in 0.3 s'],
    ['is overloaded', 503, '503'],
  ] as const)('%s', async (_, fate, message) => {
    store.meet(fate)
    expect((await failureOf(videos.save(copyOf(3)))).message).toContain(message)
    expect((await failureOf(read())).message).toContain(message)
    expect((await failureOf(videos.remove('video_1'))).message).toContain(message)
    expect(readdirSync(folder)).toEqual([])
    store.meet('serve')
    expect(store.list()).toEqual([])
    expect(await videos.save(copyOf(1))).toBe(mebibyte)
    expect(store.list()).toEqual(['event 1/video_1.mp4'])
  })

  test('is unavailable', async () => {
    await store.stop()
    expect((await failureOf(videos.save(copyOf(1)))).message).toMatch(/connect|refused/i)
    expect((await failureOf(read())).message).toMatch(/connect|refused/i)
  })

  test('breaks off: the reader sees a broken connection, not a shorter video', async () => {
    const half = createServer(socket => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${mebibyte}\r\n\r\n`)
        socket.end(Buffer.alloc(mebibyte / 2))
      })
    })
    await new Promise<void>(resolve => half.listen(0, '127.0.0.1', resolve))
    const address = half.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const broken = open({ endpoint: `http://127.0.0.1:${port}`, folder })
    const body = await broken.read({ taskId: 'video_1', bytes: mebibyte, range: null, signal })
    expect(await failureOf(new Response(body).bytes())).toBeInstanceOf(Error)
    half.close()
  })

  test('a server that stops ends an upload that waits', async () => {
    const aborter = new AbortController()
    store.meet('hang')
    const saving = open({ endpoint: store.url, folder }).save({ ...copyOf(3), signal: aborter.signal })
    while (readdirSync(folder).length === 0) await Bun.sleep(5)
    aborter.abort()
    expect(await failureOf(saving)).toBeInstanceOf(Error)
    expect(readdirSync(folder)).toEqual([])
  })
})
