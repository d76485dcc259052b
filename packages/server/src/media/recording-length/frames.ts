// Audio without a container: walks the frames of MPEG audio (read by mp3.ts) and of AAC one by one.
import type { Step } from './step.ts'

export type Frame = {
  readonly bytes: number
  readonly samples: number
  readonly rate: number
}

/** Max bytes before, between and after the frames: other tags, and data damaged on the way. */
const maxJunk = 64 * 1024

/** The start of the audio after the tags that music programs write. */
function skipTags(file: Buffer, step: Step): number {
  let at = 0
  while (at + 10 <= file.length && file.toString('latin1', at, at + 3) === 'ID3') {
    step()
    const size = [6, 7, 8, 9].reduce((sum, place) => sum * 128 + (file.readUInt8(at + place) & 0x7f), 0)
    const hasFooter = (file.readUInt8(at + 5) & 0x10) !== 0
    at += 10 + size + (hasFooter ? 10 : 0)
  }
  return at
}

/** `visit` gets each frame and its offset. `readFrame` returns null if no frame begins there. */
export function walkFrames(
  file: Buffer,
  step: Step,
  readFrame: (file: Buffer, at: number) => Frame | null,
  visit: (frame: Frame, at: number) => void,
): void {
  let junk = 0
  for (let at = skipTags(file, step); at + 8 <= file.length && junk <= maxJunk; ) {
    step()
    const frame = readFrame(file, at)
    const next = frame === null ? 0 : at + frame.bytes
    // Any two bytes can look like a frame start: a true frame is followed by another frame or the end of the file.
    const isTrue = frame !== null && (next + 8 > file.length || readFrame(file, next) !== null || junk === 0)
    if (frame === null || !isTrue) {
      at += 1
      junk += 1
      continue
    }
    // A frame that was cut is no longer heard.
    if (next <= file.length) visit(frame, at)
    at = next
    junk = 0
  }
}

const rates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
]
const headerBytes = 7

function readAdtsFrame(file: Buffer, at: number): Frame | null {
  // Twelve bits of ones, then a layer of 0.
  if ((file.readUInt16BE(at) & 0xfff6) !== 0xfff0) return null
  const rate = rates[(file.readUInt8(at + 2) >>> 2) & 15]
  const bytes = (file.readUIntBE(at + 3, 3) >>> 5) & 0x1fff
  const blocks = (file.readUInt8(at + 6) & 3) + 1
  return rate === undefined || bytes < headerBytes ? null : { bytes, samples: 1024 * blocks, rate }
}

/** AAC without a container (ADTS): all frames, counted. */
export function readAdtsSeconds(file: Buffer, step: Step): number | null {
  let seconds = 0
  walkFrames(file, step, readAdtsFrame, ({ samples, rate }) => {
    seconds += samples / rate
  })
  return seconds
}
