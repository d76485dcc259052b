// The encoder on its thread: valid MP3 frames of the right length, concurrent calls, and refusals after its end.
import { afterAll, expect, test } from 'bun:test'
import { createMp3Encoder } from './mp3-encoder.ts'

const encoder = createMp3Encoder()
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
  const bytes = await encoder.encode(buildTone(2))
  expect(measureSeconds(bytes)).toBeCloseTo(2, 0)
  expect(bytes.byteLength).toBeLessThan(2 * 9000)
})

test('concurrent calls do not mix', async () => {
  const [first, second, alone] = await Promise.all([
    encoder.encode(buildTone(1)),
    encoder.encode(buildTone(3)),
    encoder.encode(buildTone(1)),
  ])
  expect(alone).toEqual(first)
  expect(measureSeconds(second)).toBeCloseTo(3, 0)
})
