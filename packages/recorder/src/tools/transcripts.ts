// Reads transcripts. They may be far too long to read whole at every tool call, and a single line may have megabytes.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { parseObject } from '../json/members.ts'
import type { TranscriptLine } from './tool.ts'

/** A part of a transcript, read forwards. */
export type TranscriptPart = {
  readonly lines: TranscriptLine[]
  /** The byte at which the next part begins, after the last complete line. */
  readonly next: number
  /** Whether the rest of the file is empty or only the beginning of a line. */
  readonly isEnd: boolean
}

export type Transcripts = {
  /** Bytes; 0 when there is no such file. */
  readonly sizeOf: (path: string) => number
  /** The complete lines in the last 64 KiB, the oldest first; none when there is no such file. */
  readonly readTail: (path: string) => TranscriptLine[]
  /**
   * The lines that contain one of `marks`, from the end back to one that is enough, the oldest first. It goes back at most 4 MiB.
   * `isWhole` says that it reached the beginning.
   */
  readonly readBack: (
    path: string,
    marks: readonly string[],
    isEnough: (line: TranscriptLine) => boolean,
  ) => { lines: TranscriptLine[]; isWhole: boolean }
  /** The lines that contain one of `marks`, within 8 MiB, or fewer, from a given byte. Lines of more than 4 MiB are skipped. */
  readonly readOn: (
    path: string,
    from: number,
    marks: readonly string[],
    longestBytes?: number,
  ) => TranscriptPart
}

/** An open file: its size in bytes, and the bytes at a position (fewer at the end of the file). */
export type OpenTranscript = { readonly size: number; readonly read: (at: number, length: number) => Buffer }

/** Returns `absent` when the file cannot be read. */
export type WithTranscript = <Value>(
  path: string,
  use: (file: OpenTranscript) => Value,
  absent: Value,
) => Value

const tailBytes = 64 * 1024
const longestBackBytes = 4 * 1024 * 1024
const pieceBytes = 1024 * 1024
const longestLineBytes = 4 * 1024 * 1024
/** Longer than any line that counts, so that each part makes progress. */
const partBytes = 8 * 1024 * 1024

export function createTranscripts(withTranscript: WithTranscript = withFile): Transcripts {
  return {
    sizeOf: path => withTranscript(path, ({ size }) => size, 0),
    readTail: path =>
      withTranscript(
        path,
        ({ size, read }) => {
          const start = Math.max(0, size - tailBytes)
          const bytes = read(start, size - start)
          return parseLines(start === 0 ? bytes : bytes.subarray(bytes.indexOf(newline) + 1), [])
        },
        [],
      ),
    readBack: (path, marks, isEnough) =>
      withTranscript(path, file => readBack(file, marks, isEnough), { lines: [], isWhole: true }),
    readOn: (path, from, marks, longestBytes = partBytes) =>
      withTranscript(path, file => readOn(file, from, marks, Math.min(partBytes, longestBytes)), {
        lines: [],
        next: from,
        isEnd: true,
      }),
  }
}

function readBack(
  { size, read }: OpenTranscript,
  marks: readonly string[],
  isEnough: (line: TranscriptLine) => boolean,
): { lines: TranscriptLine[]; isWhole: boolean } {
  const earliest = Math.max(0, size - longestBackBytes)
  let lines: TranscriptLine[] = []
  // Drops the end of a line that begins before `start`.
  let end = Buffer.alloc(0)
  let start = size
  for (let length = tailBytes; start > earliest; length *= 4) {
    const from = Math.max(earliest, start - length)
    const bytes = Buffer.concat([read(from, start - from), end])
    const first = from === 0 ? 0 : bytes.indexOf(newline) + 1
    const isWithin = from > 0 && first === 0
    const found = isWithin ? [] : parseLines(bytes.subarray(first), marks)
    end = isWithin ? bytes : bytes.subarray(0, first)
    lines = [...found, ...lines]
    start = from
    if (found.some(isEnough)) break
  }
  return { lines, isWhole: start === 0 }
}

function readOn(
  { size, read }: OpenTranscript,
  from: number,
  marks: readonly string[],
  longestBytes: number,
): TranscriptPart {
  // A file that became shorter is a different one.
  const begin = size < from ? 0 : from
  const end = Math.min(size, begin + longestBytes)
  const lines: TranscriptLine[] = []
  let unfinished = Buffer.alloc(0)
  let place = begin
  while (place < end) {
    const piece = read(place, Math.min(pieceBytes, end - place))
    if (piece.length === 0) break
    place += piece.length
    const bytes = Buffer.concat([unfinished, piece])
    const length = bytes.lastIndexOf(newline) + 1
    lines.push(...parseLines(bytes.subarray(0, length), marks))
    // The rest of a skipped line is not a JSON object, so it is skipped too.
    unfinished = bytes.length - length > longestLineBytes ? Buffer.alloc(0) : bytes.subarray(length)
  }
  return { lines, next: place - unfinished.length, isEnd: place >= size }
}

const newline = 0x0a

/** Skips lines that are still being written or are not JSON objects. Without marks every line counts. */
function parseLines(bytes: Buffer, marks: readonly string[]): TranscriptLine[] {
  const lines: TranscriptLine[] = []
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(newline, at)
    const line = bytes.subarray(at, found < 0 ? bytes.length : found)
    at += line.length + 1
    // Most of a transcript is tool output. Callers that do not need it do not wait until it is parsed.
    if (marks.length > 0 && !marks.some(mark => line.includes(mark))) continue
    const parsed = parseObject(line.toString('utf8'))
    if (parsed !== null) lines.push(parsed)
  }
  return lines
}

const withFile: WithTranscript = (path, use, absent) => {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return absent
  }
  try {
    const read = (at: number, length: number) => {
      const bytes = Buffer.alloc(length)
      return bytes.subarray(0, readSync(file, bytes, 0, length, at))
    }
    return use({ size: fstatSync(file).size, read })
  } catch {
    return absent
  } finally {
    closeSync(file)
  }
}
