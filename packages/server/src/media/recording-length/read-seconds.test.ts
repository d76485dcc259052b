// The length of 0.7 s of audio in every container that a recording may come in (made by ffmpeg 5.1), and of files that are not recordings.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { readSeconds } from './read-seconds.ts'

const read = (name: string) => readFileSync(new URL(`__fixtures__/${name}`, import.meta.url))

/** More than 0.7 s if the encoder fills its last frame or puts silence first, and nothing in the file says so. */
const recordings: readonly (readonly [name: string, mimeType: string, seconds: number])[] = [
  ['plain.wav', 'audio/wav', 0.7],
  ['piped.wav', 'audio/wav', 0.7],
  ['packed.wav', 'audio/wav', 0.764],
  ['encoder-delay.mp3', 'audio/mp3', 0.7],
  ['bare.mp3', 'audio/mp3', 0.792],
  ['version-1.mp3', 'audio/mp3', 0.7],
  ['version-2.5.mp3', 'audio/mp3', 0.7],
  ['layer-2.mp3', 'audio/mp3', 0.72],
  ['whole.flac', 'audio/flac', 0.7],
  ['opus.ogg', 'audio/ogg', 0.7],
  ['vorbis.ogg', 'audio/ogg', 0.7],
  ['speex.ogg', 'audio/ogg', 0.695],
  ['flac.ogg', 'audio/ogg', 0.7],
  ['whole.m4a', 'audio/mp4', 0.7],
  ['pieces.m4a', 'audio/mp4', 0.828],
  ['with-video.mp4', 'audio/mp4', 0.7],
  ['whole.webm', 'audio/webm', 0.708],
  ['recorded-live.webm', 'audio/webm', 0.721],
  ['frames.aac', 'audio/aac', 0.768],
]

test.each(recordings)('%s (%s) is %p s long', (name, mimeType, seconds) => {
  expect(readSeconds(read(name), mimeType)).toBe(seconds)
})

test('consecutive recordings in one Ogg file are added up', () => {
  const both = Buffer.concat([read('opus.ogg'), read('vorbis.ogg')])
  expect(readSeconds(both, 'audio/ogg')).toBe(1.4)
})

test('a truncated MP3 is as long as its rest, regardless of its first frame', () => {
  const whole = read('encoder-delay.mp3')
  const left = readSeconds(whole.subarray(0, whole.length / 2), 'audio/mp3') ?? 0
  expect(left).toBeGreaterThan(0.2)
  expect(left).toBeLessThan(0.4)
})

test('tags before an MP3 and junk after it are not audio', () => {
  const tag = Buffer.concat([
    Buffer.from('ID3\u0004\u0000\u0000\u0000\u0000\u0001\u0000'),
    Buffer.alloc(128, 0xff),
  ])
  const file = Buffer.concat([tag, read('encoder-delay.mp3'), Buffer.from(`TAG${' '.repeat(125)}`)])
  expect(readSeconds(file, 'audio/mp3')).toBe(0.7)
})

describe('other files', () => {
  test.each([...new Set(recordings.map(([, mimeType]) => mimeType)), 'audio/other'])(
    '%s: no length',
    mimeType => {
      for (const file of [
        Buffer.alloc(0),
        Buffer.from('x'),
        Buffer.alloc(10_000),
        Buffer.alloc(10_000, 0xff),
      ])
        expect(readSeconds(file, mimeType)).toBeNull()
    },
  )

  test('damaged files have a length or none, and never throw', () => {
    const files = recordings.map(([name, mimeType]) => ({ bytes: read(name), mimeType }))
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 })
    fc.assert(
      fc.property(fc.constantFrom(...files), damage, fc.nat(), ({ bytes, mimeType }, places, cut) => {
        const file = Buffer.from(bytes.subarray(0, bytes.length - (cut % 3 === 0 ? cut % bytes.length : 0)))
        // Headers come first, so damage there matters most.
        for (const [place, byte] of places) file.writeUInt8(byte, (place % 600) % Math.max(file.length, 1))
        const seconds = file.length === 0 ? null : readSeconds(file, mimeType)
        expect(seconds === null || (Number.isFinite(seconds) && seconds > 0)).toBe(true)
      }),
      { seed: 7, numRuns: 2000 },
    )
  })

  test('a file with more parts than any recording is not counted to its end', () => {
    const box = Buffer.from('\u0000\u0000\u0000\u0008moof', 'latin1')
    const page = Buffer.alloc(27)
    page.write('OggS')
    expect(readSeconds(Buffer.alloc(3_000_000, box), 'audio/mp4')).toBeNull()
    expect(readSeconds(Buffer.alloc(9_000_000, page), 'audio/ogg')).toBeNull()
  })
})
