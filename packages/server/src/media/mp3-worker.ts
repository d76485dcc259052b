// The thread that encodes MP3, with LAME as WebAssembly.
import { createMp3Encoder } from 'wasm-media-encoders'
import { answerInTurn } from './encode-thread.ts'

const bitrate = 64
/** Samples encoded at a time; LAME's own frames are 576 or 1152. */
const chunkSamples = 65_536

const encoder = createMp3Encoder()

async function encode(bytes: Uint8Array, rate: number): Promise<Uint8Array> {
  const mp3 = await encoder
  mp3.configure({ sampleRate: rate, channels: 1, bitrate })
  const samples = toFloats(bytes)
  const parts: Uint8Array[] = []
  for (let start = 0; start < samples.length; start += chunkSamples) {
    // The encoder's own memory: copied before the next call overwrites it.
    parts.push(mp3.encode([samples.subarray(start, start + chunkSamples)]).slice())
  }
  parts.push(mp3.finalize().slice())
  return Buffer.concat(parts)
}

function toFloats(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Float32Array.from(
    { length: bytes.byteLength >> 1 },
    (_, index) => view.getInt16(2 * index, true) / 32_768,
  )
}

answerInTurn(({ samples, rate }) => encode(samples, rate))
