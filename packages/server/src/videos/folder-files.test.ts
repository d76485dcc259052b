// Video copies on a shared disk: none too large, none that fills the disk, and never half of one.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '../store/testing/failure-of.ts'
import { createFolderFiles, readFreeBytes, SpoolFolder } from './folder-files.ts'

const mebibyte = 1024 * 1024
const root = mkdtempSync(join(tmpdir(), 'fairgate-videos-'))
afterAll(() => rmSync(root, { recursive: true }))

let free: number[]
let folder: string
let isCancelled: boolean
let now: number
beforeEach(() => {
  folder = mkdtempSync(join(root, 'videos-'))
  free = [1000 * mebibyte]
  isCancelled = false
  now = Date.now()
})

/** Each look at the disk returns the next of `free`; the last one stays. */
const open = () =>
  createFolderFiles(
    new SpoolFolder(folder, {
      extension: 'mp4',
      maxBytes: 50 * mebibyte,
      keepFreeBytes: 100 * mebibyte,
      readFreeBytes: async () => (free.length > 1 ? free.shift() : free[0]) ?? 0,
      newName: randomUUID,
      clock: () => now,
    }),
    (path, start, end) => Bun.file(path).slice(start, end),
  )
const { signal } = new AbortController()
const whole = { range: null, signal }

/** `mebibytes` without an end of its own when infinite. */
function video(mebibytes: number): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    pull: controller => {
      if (sent >= mebibytes) return controller.close()
      sent += 1
      controller.enqueue(new Uint8Array(mebibyte).fill(sent % 256))
    },
    cancel: () => {
      isCancelled = true
    },
  })
}

test('a video that fits is available, whole and in parts', async () => {
  const videos = open()
  const bytes = 3 * mebibyte
  expect(await videos.save({ taskId: 'video_1', video: video(3), expectedBytes: bytes, signal })).toBe(bytes)
  const found = await videos.read({ taskId: 'video_1', bytes, ...whole })
  const all = await new Response(found).bytes()
  expect([all.length, all[0], all[mebibyte], all[bytes - 1]]).toEqual([bytes, 1, 2, 3])
  const part = await videos.read({
    taskId: 'video_1',
    bytes,
    range: { start: mebibyte - 1, end: mebibyte },
    signal,
  })
  expect([...(await new Response(part).bytes())]).toEqual([1, 2])
  expect(readdirSync(folder)).toEqual(['video_1.mp4'])
})

test('a missing copy, or one of another size, does not count', async () => {
  writeFileSync(join(folder, 'video_1.mp4'), 'half')
  expect(await open().read({ taskId: 'video_1', bytes: 8, ...whole })).toBeNull()
  expect(await open().read({ taskId: 'video_2', bytes: 8, ...whole })).toBeNull()
  expect(await open().read({ taskId: 'video_1', bytes: 4, ...whole })).not.toBeNull()
})

test('two processes that copy the same video do not write to one file', async () => {
  const save = () => open().save({ taskId: 'video_1', video: video(3), expectedBytes: null, signal })
  expect(await Promise.all([save(), save()])).toEqual([3 * mebibyte, 3 * mebibyte])
  const found = await open().read({ taskId: 'video_1', bytes: 3 * mebibyte, ...whole })
  const all = await new Response(found).bytes()
  expect([all[0], all[mebibyte], all[3 * mebibyte - 1]]).toEqual([1, 2, 3])
  expect(readdirSync(folder)).toEqual(['video_1.mp4'])
})

describe('nothing stays, and the upstream is released, when', () => {
  test.each<[string, number, number | null, number[], string]>([
    ['it is announced as too large', 1, 51 * mebibyte, [1000], 'too_large'],
    ['it turns out to be', Number.POSITIVE_INFINITY, null, [1000], 'too_large'],
    ['the disk has no room for what was announced', 1, 40 * mebibyte, [130], 'no_room'],
    ['the disk has no room at all', 1, null, [99], 'no_room'],
    ['the disk fills up meanwhile', 45, null, [1000, 500, 99], 'no_room'],
  ])('%s', async (_, mebibytes, announced, left, reason) => {
    free = left.map(each => each * mebibyte)
    const failure = await failureOf(
      open().save({ taskId: 'video_1', video: video(mebibytes), expectedBytes: announced, signal }),
    )
    expect(failure).toMatchObject({ name: 'CopyRefused', reason })
    expect(readdirSync(folder)).toEqual([])
    expect(isCancelled).toBe(true)
  })

  test('the upstream breaks off', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: controller => controller.error(new Error('broken')),
    })
    expect(
      String(await failureOf(open().save({ taskId: 'video_1', video: broken, expectedBytes: null, signal }))),
    ).toContain('broken')
    expect(readdirSync(folder)).toEqual([])
  })
})

test('partial files of a process that is gone are removed; videos and files being written are not', async () => {
  writeFileSync(join(folder, 'video_1.mp4.a.part'), 'half')
  writeFileSync(join(folder, 'video_2.mp4'), 'whole')
  await open().clean()
  expect(readdirSync(folder).sort()).toEqual(['video_1.mp4.a.part', 'video_2.mp4'])
  now += 2 * 3_600_000
  await open().clean()
  expect(readdirSync(folder)).toEqual(['video_2.mp4'])
})

test('the disk reports its free space', async () => {
  expect(await readFreeBytes(folder)).toBeGreaterThan(0)
})
