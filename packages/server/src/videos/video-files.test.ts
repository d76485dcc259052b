// Copies of videos on a disk that is not ours alone: none too large, none into the last of it, and never half of one.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '../store/testing/failure-of.ts'
import { createVideoFiles, readFreeBytes } from './video-files.ts'

const mebibyte = 1024 * 1024
const root = mkdtempSync(join(tmpdir(), 'fairgate-videos-'))
afterAll(() => rmSync(root, { recursive: true }))

let free: number[]
let folder: string
let isCancelled: boolean
beforeEach(() => {
  folder = mkdtempSync(join(root, 'videos-'))
  free = [1000 * mebibyte]
  isCancelled = false
})

/** Of each look at the disk the next of `free`; the last stays. */
const open = () =>
  createVideoFiles(folder, {
    mostBytes: 50 * mebibyte,
    keepFreeBytes: 100 * mebibyte,
    readFreeBytes: async () => (free.length > 1 ? free.shift() : free[0]) ?? 0,
  })

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

test('a video that fits is there, whole', async () => {
  const videos = open()
  expect(await videos.save('video_1', video(3), 3 * mebibyte)).toBe(3 * mebibyte)
  const found = await videos.find('video_1')
  expect(found?.bytes).toBe(3 * mebibyte)
  const bytes = await Bun.file(found?.path ?? '').bytes()
  expect([bytes[0], bytes[mebibyte], bytes[3 * mebibyte - 1]]).toEqual([1, 2, 3])
  expect(readdirSync(folder)).toEqual(['video_1.mp4'])
})

describe('nothing stays, and the upstream is let go, when', () => {
  test.each<[string, number, number | null, number[], string]>([
    ['it is announced as too large', 1, 51 * mebibyte, [1000], 'too_large'],
    ['it turns out to be', Number.POSITIVE_INFINITY, null, [1000], 'too_large'],
    ['the disk has no room for what was announced', 1, 40 * mebibyte, [130], 'no_room'],
    ['the disk has no room at all', 1, null, [99], 'no_room'],
    ['the disk fills up meanwhile', 45, null, [1000, 500, 99], 'no_room'],
  ])('%s', async (_, mebibytes, announced, left, reason) => {
    free = left.map(each => each * mebibyte)
    const failure = await failureOf(open().save('video_1', video(mebibytes), announced))
    expect(failure).toMatchObject({ name: 'CopyRefused', reason })
    expect(readdirSync(folder)).toEqual([])
    expect(isCancelled).toBe(true)
  })

  test('the upstream breaks off', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: controller => controller.error(new Error('broken')),
    })
    expect(String(await failureOf(open().save('video_1', broken, null)))).toContain('broken')
    expect(readdirSync(folder)).toEqual([])
  })
})

test('what an earlier life had begun to write is removed, videos are not', async () => {
  writeFileSync(join(folder, 'video_1.mp4.part'), 'half')
  writeFileSync(join(folder, 'video_2.mp4'), 'whole')
  await open().clean()
  expect(readdirSync(folder)).toEqual(['video_2.mp4'])
})

test('the disk says what it has', async () => {
  expect(await readFreeBytes(folder)).toBeGreaterThan(0)
})
