// Ogg: uses the last position of each audio stream, at the rate of its codec. FLAC: uses the number of samples in its first block.
import type { Step } from './step.ts'

const pageHeader = 27
/** Max recordings that are chained in one file. */
const maxStreams = 1000
const beginsStream = 2

/** `last`: the highest position; -1 on a page means none. */
type Stream = { readonly rate: number; readonly skipped: number; last: bigint }

export function readOggSeconds(file: Buffer, step: Step): number | null {
  const streams: (Stream | null)[] = []
  const current = new Map<number, Stream | null>()
  for (let at = file.indexOf('OggS'); at >= 0 && at + pageHeader <= file.length; ) {
    step()
    const segments = file.readUInt8(at + 26)
    const start = at + pageHeader + segments
    let size = 0
    for (let place = at + pageHeader; place < Math.min(start, file.length); place += 1)
      size += file.readUInt8(place)
    const serial = file.readUInt32LE(at + 14)
    if ((file.readUInt8(at + 5) & beginsStream) !== 0) {
      if (streams.length === maxStreams) return null
      const stream = readCodec(file, start)
      streams.push(stream)
      current.set(serial, stream)
    }
    const stream = current.get(serial)
    const position = file.readBigInt64LE(at + 6)
    if (stream && position > stream.last) stream.last = position
    at = file.indexOf('OggS', start + size)
  }
  return streams.reduce((sum, stream) => sum + (stream === null ? 0 : lengthOf(stream)), 0)
}

function lengthOf({ rate, skipped, last }: Stream): number {
  return Math.max(0, Number(last) - skipped) / rate
}

/** Null if it is not audio. */
function readCodec(file: Buffer, start: number): Stream | null {
  const says = (text: string) => file.toString('latin1', start, start + text.length) === text
  const stream = (rate: number, skipped = 0): Stream | null => (rate > 0 ? { rate, skipped, last: 0n } : null)
  // Opus counts at this rate, regardless of the rate of the recording.
  if (says('OpusHead')) return stream(48_000, file.readUInt16LE(start + 10))
  if (says('\u0001vorbis')) return stream(file.readUInt32LE(start + 12))
  if (says('Speex   ')) return stream(file.readUInt32LE(start + 36))
  if (says('\u007fFLAC')) return stream(readStreamInfo(file, start + 17)?.rate ?? 0)
  return null
}

/** Offset of the fields of STREAMINFO after its sizes of blocks and frames. */
const fieldsOffset = 10

export function readFlacSeconds(file: Buffer): number | null {
  if (file.toString('latin1', 0, 4) !== 'fLaC') return null
  return readStreamInfo(file, 8)?.seconds ?? null
}

/** `start`: offset of STREAMINFO. Null without a rate; `seconds` is null without a number of samples. */
function readStreamInfo(file: Buffer, start: number): { rate: number; seconds: number | null } | null {
  const fields = file.readBigUInt64BE(start + fieldsOffset)
  const rate = Number(fields >> 44n)
  const samples = Number(fields & 0xf_ffff_ffffn)
  return rate === 0 ? null : { rate, seconds: samples === 0 ? null : samples / rate }
}
