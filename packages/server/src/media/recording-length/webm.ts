// WebM: uses the length in its header. Browser recordings have none and are as long as their last block says.
import type { Step } from './step.ts'

/** Elements that are entered, by id. */
const containers = {
  segment: 0x18538067,
  info: 0x1549a966,
  cluster: 0x1f43b675,
  blockGroup: 0xa0,
} as const
const opened: ReadonlySet<number> = new Set(Object.values(containers))
const timestampScale = 0x2ad7b1
const duration = 0x4489
const clusterTimestamp = 0xe7
const simpleBlock = 0xa3
const block = 0xa1

type Sized = { readonly value: number; readonly bytes: number; readonly isUnknown: boolean }

/** Reads a number of variable length. Throws RangeError if it is invalid. */
function readSized(file: Buffer, at: number, keepsMarker: boolean): Sized {
  const first = file.readUInt8(at)
  const bytes = Math.clz32(first) - 23
  if (bytes > 8) throw new RangeError('There is no such number.')
  let value = keepsMarker ? first : first & (0xff >>> bytes)
  let isUnknown = (first & (0xff >>> bytes)) === 0xff >>> bytes
  for (let place = 1; place < bytes; place += 1) {
    const next = file.readUInt8(at + place)
    isUnknown &&= next === 0xff
    value = value * 256 + next
  }
  return { value, bytes, isUnknown }
}

export function readWebmSeconds(file: Buffer, step: Step): number | null {
  let nanosecondsPerUnit = 1_000_000
  let reported: number | null = null
  let cluster = 0
  let last = 0
  let lastGap = 0
  for (let at = 0; at + 2 <= file.length; ) {
    step()
    const { value: id, bytes: idBytes } = readSized(file, at, true)
    const { value: size, bytes: sizeBytes, isUnknown } = readSized(file, at + idBytes, false)
    const start = at + idBytes + sizeBytes
    if (opened.has(id)) {
      at = start
      continue
    }
    if (isUnknown || start + size > file.length) break
    if (id === timestampScale) nanosecondsPerUnit = readWhole(file, start, size)
    if (id === duration) reported = size === 8 ? file.readDoubleBE(start) : file.readFloatBE(start)
    if (id === clusterTimestamp) cluster = readWhole(file, start, size)
    if (id === simpleBlock || id === block) {
      const time = cluster + file.readInt16BE(start + readSized(file, start, false).bytes)
      if (time > last) {
        lastGap = time - last
        last = time
      }
    }
    at = start + size
  }
  // The last block is assumed to be as long as the one before it.
  return ((reported !== null && reported > 0 ? reported : last + lastGap) * nanosecondsPerUnit) / 1e9
}

/** Throws RangeError for a number of more than 8 bytes, which no time has. */
function readWhole(file: Buffer, start: number, size: number): number {
  let value = 0
  const bytes = file.subarray(start, start + size)
  if (bytes.length > 8) throw new RangeError('There is no such number.')
  for (const byte of bytes) value = value * 256 + byte
  return value
}
