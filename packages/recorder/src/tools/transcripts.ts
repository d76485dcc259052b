// Reads the ends of transcripts, which may be far too long to be read whole at every tool call.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { TranscriptLine } from './tool.ts'

export type Transcripts = {
  /** The whole lines in the last 64 KiB, the oldest first; none when there is no such file. */
  readonly readTail: (path: string) => TranscriptLine[]
  /** The whole lines in the first 64 KiB. */
  readonly readHead: (path: string) => TranscriptLine[]
  /** The whole lines from a byte on, and where the next begins. */
  readonly readFrom: (path: string, offset: number) => { lines: TranscriptLine[]; next: number }
}

const windowBytes = 64 * 1024

export const transcripts: Transcripts = {
  readTail: path => {
    const { text, start } = readPart(path, size => Math.max(0, size - windowBytes), windowBytes)
    return parseLines(start === 0 ? text : text.slice(text.indexOf('\n') + 1))
  },
  readHead: path => {
    const { text } = readPart(path, () => 0, windowBytes)
    return parseLines(text.slice(0, text.lastIndexOf('\n') + 1))
  },
  readFrom: (path, offset) => {
    const { text } = readPart(path, size => (size < offset ? 0 : offset), Number.MAX_SAFE_INTEGER)
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    return { lines: parseLines(whole), next: offset + Buffer.byteLength(whole) }
  },
}

function readPart(
  path: string,
  startOf: (size: number) => number,
  limit: number,
): { text: string; start: number } {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return { text: '', start: 0 }
  }
  try {
    const { size } = fstatSync(file)
    const start = startOf(size)
    const bytes = Buffer.alloc(Math.min(limit, size - start))
    const length = readSync(file, bytes, 0, bytes.length, start)
    return { text: bytes.toString('utf8', 0, length), start }
  } catch {
    return { text: '', start: 0 }
  } finally {
    closeSync(file)
  }
}

/** A line that is still being written, or is no JSON object, is passed over. */
function parseLines(text: string): TranscriptLine[] {
  return text.split('\n').flatMap(line => {
    try {
      const value: unknown = JSON.parse(line)
      return typeof value === 'object' && value !== null ? [{ ...value }] : []
    } catch {
      return []
    }
  })
}
