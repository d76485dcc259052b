// The encoder on its thread: valid MP3 frames of the right length, concurrent calls, and refusals after its end.
import { afterAll, expect, test } from 'bun:test'
import { createAudioEncoder } from './audio-encoder.ts'
import { readSeconds } from './recording-length/read-seconds.ts'

const encoder = createAudioEncoder()
afterAll(encoder.close)

function buildTone(seconds: number, rate = 24_000) {
  const samples = new DataView(new ArrayBuffer(seconds * rate * 2))
  for (let index = 0; index < seconds * rate; index += 1)
    samples.setInt16(index * 2, Math.round(8000 * Math.sin((2 * Math.PI * 440 * index) / rate)), true)
  return { samples: new Uint8Array(samples.buffer), rate }
}

/** MPEG-2 layer III, 24 kHz: 576 samples a frame. Throws at a byte that begins no frame. */
function measureSeconds(bytes: Uint8Array): number {
  const kilobits = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
  let frames = 0
  for (let offset = 0; offset < bytes.length; frames += 1) {
    expect([bytes[offset], (bytes[offset + 1] ?? 0) & 0xfe]).toEqual([0xff, 0xf2])
    const header = bytes[offset + 2] ?? 0
    expect((header >> 2) & 3).toBe(1)
    offset += Math.floor((72 * (kilobits[header >> 4] ?? 0) * 1000) / 24_000) + ((header >> 1) & 1)
  }
  return (frames * 576) / 24_000
}

test('speech becomes MP3 frames of the same length', async () => {
  const bytes = await encoder.encode(buildTone(2), 'mp3')
  expect(measureSeconds(bytes)).toBeCloseTo(2, 0)
  expect(bytes.byteLength).toBeLessThan(2 * 9000)
})

test('concurrent calls do not mix', async () => {
  const [first, second, alone] = await Promise.all([
    encoder.encode(buildTone(1), 'mp3'),
    encoder.encode(buildTone(3), 'mp3'),
    encoder.encode(buildTone(1), 'mp3'),
  ])
  expect(alone).toEqual(first)
  expect(measureSeconds(second)).toBeCloseTo(3, 0)
})

test.each([
  ['opus', 'audio/ogg', 24_000],
  ['opus', 'audio/ogg', 22_050],
  ['opus', 'audio/ogg', 192_000],
  ['flac', 'audio/flac', 24_000],
  ['flac', 'audio/flac', 8000],
  ['flac', 'audio/flac', 192_000],
] as const)(
  'speech becomes %s (%s) of the same length, from %i samples a second',
  async (format, type, rate) => {
    const [first, second] = await Promise.all([
      encoder.encode(buildTone(2, rate), format),
      encoder.encode(buildTone(1, rate), format),
    ])
    expect(readSeconds(first, type)).toBeCloseTo(2, 1)
    expect(readSeconds(second, type)).toBeCloseTo(1, 1)
  },
)

test('half a sample at the end is left out', async () => {
  const { samples, rate } = buildTone(1)
  const bytes = await encoder.encode({ samples: samples.subarray(0, -1), rate }, 'flac')
  expect(readSeconds(bytes, 'audio/flac')).toBeCloseTo(1, 3)
})
