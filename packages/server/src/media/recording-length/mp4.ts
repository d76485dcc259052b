// MP4 and M4A: uses the length of the audio track, or the sum over all fragments if the file was written in fragments.
import type { Step } from './step.ts'

/** The file, and the callback for each of its boxes. */
type Source = { readonly file: Buffer; readonly step: Step }

type Box = { readonly name: string; readonly start: number; readonly end: number }
type Bounds = Pick<Box, 'start' | 'end'>

/** The consecutive boxes between the bounds. */
function* boxesIn({ file, step }: Source, { start, end }: Bounds): Generator<Box> {
  for (let at = start; at + 8 <= end; ) {
    step()
    const declared = file.readUInt32BE(at)
    const isLong = declared === 1
    const header = isLong ? 16 : 8
    const size = isLong ? Number(file.readBigUInt64BE(at + 8)) : declared === 0 ? end - at : declared
    if (size < header) return
    yield { name: file.toString('latin1', at + 4, at + 8), start: at + header, end: Math.min(at + size, end) }
    at += size
  }
}

function findBox(source: Source, bounds: Bounds | null, name: string): Box | null {
  if (bounds === null) return null
  for (const box of boxesIn(source, bounds)) if (box.name === name) return box
  return null
}

/** `version` 1 has 64-bit times: how they are read, and the offset of what follows the creation and modification times. */
function readTimes(file: Buffer, { start }: Box) {
  const isLong = file.readUInt8(start) === 1
  return {
    afterDates: start + 4 + (isLong ? 16 : 8),
    /** Null means "not known". */
    readLength: (at: number): number | null => {
      const length = isLong ? Number(file.readBigUInt64BE(at)) : file.readUInt32BE(at)
      return length === 0 || length >= (isLong ? 2 ** 63 : 2 ** 32 - 1) ? null : length
    },
  }
}

type Track = { readonly id: number; readonly unitsPerSecond: number; readonly length: number | null }

/** `length` is in units of the whole file, excluding what is cut off at its beginning and end; `unitsPerSecond` are those of the track. */
function readAudioTrack(source: Source, moov: Box): Track | null {
  const { file } = source
  for (const trak of boxesIn(source, moov)) {
    if (trak.name !== 'trak') continue
    const mdia = findBox(source, trak, 'mdia')
    const hdlr = findBox(source, mdia, 'hdlr')
    const mdhd = findBox(source, mdia, 'mdhd')
    const tkhd = findBox(source, trak, 'tkhd')
    if (hdlr === null || mdhd === null || tkhd === null) continue
    if (file.toString('latin1', hdlr.start + 8, hdlr.start + 12) !== 'soun') continue
    const { afterDates, readLength } = readTimes(file, tkhd)
    return {
      id: file.readUInt32BE(afterDates),
      length: readLength(afterDates + 8),
      unitsPerSecond: file.readUInt32BE(readTimes(file, mdhd).afterDates),
    }
  }
  return null
}

export function readMp4Seconds(file: Buffer, step: Step): number | null {
  const source = { file, step }
  const whole = { start: 0, end: file.length }
  const moov = findBox(source, whole, 'moov')
  const mvhd = findBox(source, moov, 'mvhd')
  const track = moov === null ? null : readAudioTrack(source, moov)
  if (moov === null || mvhd === null || track === null) return null
  if (track.length !== null) return track.length / file.readUInt32BE(readTimes(file, mvhd).afterDates)
  const usual = readUsualDuration(source, findBox(source, moov, 'mvex'), track.id)
  let units = 0
  for (const moof of boxesIn(source, whole))
    if (moof.name === 'moof') units += sumPiece(source, moof, track.id, usual)
  return units / track.unitsPerSecond
}

/** Duration of a sample if neither it nor its fragment gives another. */
function readUsualDuration(source: Source, mvex: Box | null, id: number): number {
  const { file } = source
  if (mvex === null) return 0
  for (const { name, start } of boxesIn(source, mvex))
    if (name === 'trex' && file.readUInt32BE(start + 4) === id) return file.readUInt32BE(start + 12)
  return 0
}

function sumPiece(source: Source, moof: Box, id: number, usual: number): number {
  const { file } = source
  let units = 0
  for (const traf of boxesIn(source, moof)) {
    const tfhd = traf.name === 'traf' ? findBox(source, traf, 'tfhd') : null
    if (tfhd === null || file.readUInt32BE(tfhd.start + 4) !== id) continue
    const flags = file.readUInt32BE(tfhd.start) & 0xff_ffff
    const at = tfhd.start + 8 + (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0)
    const each = flags & 0x8 ? file.readUInt32BE(at) : usual
    for (const box of boxesIn(source, traf)) if (box.name === 'trun') units += sumRun(file, box, each)
  }
  return units
}

function sumRun(file: Buffer, { start, end }: Box, each: number): number {
  const flags = file.readUInt32BE(start) & 0xff_ffff
  const count = file.readUInt32BE(start + 4)
  if ((flags & 0x100) === 0) return count * each
  const first = start + 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0)
  const size = 4 * [0x100, 0x200, 0x400, 0x800].filter(flag => (flags & flag) !== 0).length
  let units = 0
  for (let index = 0, at = first; index < count && at + size <= end; index += 1, at += size)
    units += file.readUInt32BE(at)
  return units
}
