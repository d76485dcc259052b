// Wraps bare samples into a WAV file.
import type { Pcm } from './pcm.ts'

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
