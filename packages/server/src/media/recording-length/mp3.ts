// MP3 (and its older relatives): counts all frames, because the total in the first frame is often wrong in files that were cut.
import { type Frame, walkFrames } from './frames.ts'
import type { Step } from './step.ts'

type Version = 1 | 2 | 2.5
type Layer = 1 | 2 | 3

/** kbit/s by index, for version 1 and for the later ones. */
const bitrates: Readonly<Record<1 | 2, Readonly<Record<Layer, readonly number[]>>>> = {
  1: {
    1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  2: {
    1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
}
const rates = [44_100, 48_000, 32_000]
const versions: readonly (Version | null)[] = [2.5, null, 2, 1]

type Mp3Frame = Frame & { readonly version: Version; readonly isMono: boolean }

function readFrame(file: Buffer, at: number): Mp3Frame | null {
  const header = file.readUInt32BE(at)
  if (header >>> 21 !== 0x7ff) return null
  const version = versions[(header >>> 19) & 3] ?? null
  const layerBits = (header >>> 17) & 3
  if (version === null || layerBits === 0) return null
  const layer = (4 - layerBits) as Layer
  const bitrate = (bitrates[version === 1 ? 1 : 2][layer][(header >>> 12) & 15] ?? 0) * 1000
  const rate = (rates[(header >>> 10) & 3] ?? 0) / (version === 1 ? 1 : version === 2 ? 2 : 4)
  if (bitrate === 0 || rate === 0) return null
  const samples = layer === 1 ? 384 : layer === 3 && version !== 1 ? 576 : 1152
  const padding = (header >>> 9) & 1
  const bytes =
    layer === 1
      ? (Math.floor((12 * bitrate) / rate) + padding) * 4
      : Math.floor(((samples / 8) * bitrate) / rate) + padding
  return { bytes, samples, rate, version, isMono: ((header >>> 6) & 3) === 3 }
}

export function readMp3Seconds(file: Buffer, step: Step): number | null {
  let seconds = 0
  let isFirst = true
  walkFrames(file, step, readFrame, (frame, at) => {
    const added = isFirst ? readInfo(file, at) : null
    isFirst = false
    // The info frame is silent; samples that the encoder added before and after the audio are not heard.
    seconds += added === null ? frame.samples / frame.rate : -added / frame.rate
  })
  return isFirst ? null : seconds
}

const infoFields = 15
const encoderOffset = 120
const delayOffset = encoderOffset + 21

/** Null for an audio frame. For an info frame, the number of samples that the encoder added in total, 0 if not given. */
function readInfo(file: Buffer, at: number): number | null {
  const frame = readFrame(file, at)
  if (frame === null) return null
  const sideBytes = frame.version === 1 ? (frame.isMono ? 17 : 32) : frame.isMono ? 9 : 17
  if (file.toString('latin1', at + 36, at + 40) === 'VBRI') return 0
  const start = at + 4 + sideBytes
  const name = file.toString('latin1', start, start + 4)
  if (name !== 'Xing' && name !== 'Info') return null
  const hasAll = start + delayOffset + 3 <= file.length && file.readUInt32BE(start + 4) === infoFields
  const encoder = file.toString('latin1', start + encoderOffset, start + encoderOffset + 3)
  if (!hasAll || (encoder !== 'LAM' && encoder !== 'Lav')) return 0
  const delays = file.readUIntBE(start + delayOffset, 3)
  return (delays >>> 12) + (delays & 0xfff)
}
