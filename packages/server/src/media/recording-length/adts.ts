// AAC without a container (ADTS): all frames, counted.
import { type Frame, walkFrames } from './frames.ts'
import type { Step } from './read-seconds.ts'

const rates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
]
const headerBytes = 7

function readFrame(file: Buffer, at: number): Frame | null {
  // Twelve bits of ones, then a layer of 0.
  if ((file.readUInt16BE(at) & 0xfff6) !== 0xfff0) return null
  const rate = rates[(file.readUInt8(at + 2) >>> 2) & 15]
  const bytes = (file.readUIntBE(at + 3, 3) >>> 5) & 0x1fff
  const blocks = (file.readUInt8(at + 6) & 3) + 1
  return rate === undefined || bytes < headerBytes ? null : { bytes, samples: 1024 * blocks, rate }
}

export function readAdtsSeconds(file: Buffer, step: Step): number | null {
  let seconds = 0
  walkFrames(file, step, readFrame, ({ samples, rate }) => {
    seconds += samples / rate
  })
  return seconds
}
