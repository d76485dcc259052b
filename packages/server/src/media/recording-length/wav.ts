// WAV: the bytes of the audio by the bytes a second; where it is packed, the number of samples by the rate.
import type { Step } from './read-seconds.ts'

const headerBytes = 8
/** Whole numbers, fractions, and the header that names one of these further on. */
const plainForms = [1, 3, 0xfffe]

export function readWavSeconds(file: Buffer, step: Step): number | null {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE') return null
  let rate = 0
  let bytesPerSecond = 0
  let isPlain = true
  for (let at = 12; at + headerBytes <= file.length; ) {
    step()
    const name = file.toString('latin1', at, at + 4)
    const size = file.readUInt32LE(at + 4)
    const start = at + headerBytes
    if (name === 'fmt ') {
      isPlain = plainForms.includes(file.readUInt16LE(start))
      rate = file.readUInt32LE(start + 4)
      bytesPerSecond = file.readUInt32LE(start + 8)
    }
    // Packed audio tells its samples, since its bytes a second are an average that programs get wrong.
    if (name === 'fact' && !isPlain && rate > 0) return file.readUInt32LE(start) / rate
    if (name === 'data') {
      // A program that writes into a pipe does not know the size; a file that was cut has less.
      const rest = file.length - start
      return bytesPerSecond === 0 ? null : Math.min(size === 0 ? rest : size, rest) / bytesPerSecond
    }
    // Chunks begin at even places.
    at = start + size + (size % 2)
  }
  return null
}
