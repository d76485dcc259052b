// Raw audio, as speech models return it and encoders accept it. Reads it from a WAV file and writes it to one.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

/** Signed 16-bit little-endian mono. */
export type Pcm = { readonly samples: Uint8Array; readonly rate: number }

/** The chunks of a RIFF/WAVE file, each at an even offset; none for another file. `start`: offset of the chunk's data. */
export function* listChunks(file: Buffer) {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE') return
  for (let at = 12; at + 8 <= file.length; ) {
    const size = file.readUInt32LE(at + 4)
    yield { name: file.toString('latin1', at, at + 4), start: at + 8, size }
    at += 8 + size + (size % 2)
  }
}

/** The samples of a WAV file, for models that wrap them. Null for bytes that are not a RIFF/WAVE file with a `data` chunk. */
export function readWav(bytes: Buffer): Pcm | null {
  let rate = 24_000
  for (const { name, start, size } of listChunks(bytes)) {
    if (name === 'fmt ' && start + 8 <= bytes.length) rate = bytes.readUInt32LE(start + 4)
    // A size that was never filled in, or is cut, means everything to the end.
    if (name === 'data') return { samples: bytes.subarray(start, Math.min(start + size, bytes.length)), rate }
  }
  return null
}

const headerBytes = 44

/** Signed 16-bit little-endian mono → RIFF/WAVE with a header of 44 bytes. */
export function buildWav({ samples, rate }: Pcm): Uint8Array {
  const file = Buffer.alloc(headerBytes + samples.byteLength)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(headerBytes - 8 + samples.byteLength, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(rate * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(samples.byteLength, 40)
  file.set(samples, headerBytes)
  return file
}

/** Throws ApiError `upstream_error` for a sampling rate that no recording has and no encoder accepts. */
export function requirePossible(pcm: Pcm): Pcm {
  const { rate } = pcm
  if (Number.isInteger(rate) && rate >= 8000 && rate <= 192_000) return pcm
  throw new ApiError('upstream_error', {
    message: 'The model provider sent audio with an impossible sampling rate.',
  })
}
