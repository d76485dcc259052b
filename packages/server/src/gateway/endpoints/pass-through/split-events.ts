// Cuts a stream of server-sent events, and finds the JSON in each.
import { type Cut, createSplitter, indexOrEnd, type Scan, type StreamSplitter } from './split-stream.ts'

export function createEventSplitter(): StreamSplitter {
  return createSplitter(createEventScan(), readEvent)
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** An event ends with an empty line; a line with \n, \r\n or \r. Long lines are skipped at memory speed. */
function createEventScan(): Scan {
  let length = 0
  let afterReturn = false
  const endLineBefore = (at: number, cut: Cut): void => {
    if (length === 0) cut(at)
    length = 0
    afterReturn = false
  }
  return (bytes, cut) => {
    let nextFeed = indexOrEnd(bytes, lineFeed, 0)
    let nextReturn = indexOrEnd(bytes, carriageReturn, 0)
    for (let at = 0; at < bytes.length; at += 1) {
      const stop = Math.min(nextFeed, nextReturn)
      if (stop > at) {
        if (afterReturn) endLineBefore(at, cut)
        length += stop - at
        at = stop
      }
      if (at === bytes.length) return
      if (at === nextFeed) {
        endLineBefore(at + 1, cut)
        nextFeed = indexOrEnd(bytes, lineFeed, at + 1)
      } else {
        if (afterReturn) endLineBefore(at, cut)
        afterReturn = true
        nextReturn = indexOrEnd(bytes, carriageReturn, at + 1)
      }
    }
  }
}

const dataMark = Buffer.from('data:')
const lineEnds: readonly (number | undefined)[] = [lineFeed, carriageReturn]

/** The `data` of an event. Errors after the start may stand bare, with no `data:` before them. */
function readEvent(raw: Uint8Array): Uint8Array | null {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  let end = bytes.length
  while (end > 0 && lineEnds.includes(bytes[end - 1])) end -= 1
  const line = bytes.subarray(0, end)
  const isOneLine = line.indexOf(lineFeed) < 0 && line.indexOf(carriageReturn) < 0
  if (isOneLine && line.subarray(0, dataMark.length).equals(dataMark)) return line.subarray(dataMark.length)
  const text = bytes.toString()
  const lines = text.split(/\r\n|\n|\r/)
  const data = lines.filter(each => each.startsWith('data:')).map(each => each.slice(5))
  if (data.length > 0) return Buffer.from(data.join('\n'))
  return /^\s*[[{]/.test(text) ? bytes : null
}
