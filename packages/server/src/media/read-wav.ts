// The samples of a WAV file, for models that wrap them.
import type { Pcm } from './pcm.ts'

/** Null for bytes that are not a RIFF/WAVE file with a `data` chunk. */
export function readWav(bytes: Buffer): Pcm | null {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'RIFF') return null
  if (bytes.toString('latin1', 8, 12) !== 'WAVE') return null
  let rate = 24_000
  for (let offset = 12; offset + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', offset, offset + 4)
    const size = bytes.readUInt32LE(offset + 4)
    const start = offset + 8
    if (name === 'fmt ' && start + 8 <= bytes.length) rate = bytes.readUInt32LE(start + 4)
    // A size that was never filled in, or is cut, means everything to the end.
    if (name === 'data') return { samples: bytes.subarray(start, Math.min(start + size, bytes.length)), rate }
    offset = start + size + (size % 2)
  }
  return null
}
