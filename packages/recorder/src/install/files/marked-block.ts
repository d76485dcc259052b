// A block of our lines in a file that others write to, between two marks that let us find it again.
//
// The marks alone say nothing about the lines between them: programs and people write there too. Codex, for example, adds its tables before
// the last comment of the file, which is our closing mark. So every removal asks about each line.
import { classifyLines, findOpenQuote } from '../toml/read-toml.ts'

/** The owner of a block. Hooks and the connection to the gateway can each have one in the same file. */
export type Mark = 'fairgate-recorder' | 'fairgate-connection'

/** Whether a line between our marks is ours. */
export type IsOwnLine = (line: string) => boolean

/** The lines with their marks. `note` tells a reader what they do. */
export function writeBlock(
  note: string,
  lines: readonly string[],
  indentation = '',
  mark: Mark = 'fairgate-recorder',
): string[] {
  return [`# >>> ${mark}: ${note}`, ...lines, `# <<< ${mark}`].map(line => `${indentation}${line}`)
}

export function hasBlock(text: string, mark: Mark = 'fairgate-recorder'): boolean {
  return text.includes(`# >>> ${mark}`)
}

/** `own` has whole lines, and names of which a line sets the value. */
export function listsLine(own: readonly string[]): IsOwnLine {
  return line => own.includes(line.trim()) || own.includes(nameOfLine(line) ?? line)
}

/** What the line gives a value; null if it does not look like that. */
export function nameOfLine(line: string): string | null {
  return /^\uFEFF?\s*(?:export\s+)?["']?([A-Za-z0-9_.-]+)["']?\s*=/.exec(line)?.[1] ?? null
}

/** The lines that start the recorder name it, in every version. */
export const namesRecorder: IsOwnLine = line => /fairgate[-_]recorder/.test(line)

export type FoundBlock = {
  readonly before: string
  /** What others have written between the marks. */
  readonly others: string
  readonly after: string
}

/** The first block, or null. A block without its closing mark ends with the last line that is ours. */
export function findBlock(text: string, isOwn: IsOwnLine, mark: Mark): FoundBlock | null {
  const lines = text.split(/(?<=\n)/)
  const isMark = (sign: string) => (line: string) => line.trimStart().startsWith(`# ${sign} ${mark}`)
  const start = lines.findIndex(isMark('>>>'))
  if (start < 0) return null
  const inner = lines.slice(start + 1)
  const end = inner.findIndex(isMark('<<<'))
  const next = inner.findIndex(isMark('>>>'))
  const isClosed = end >= 0 && (next < 0 || end < next)
  // Below the head of a table, or within a text of several lines, a line is not ours, whatever it says.
  const places = classifyLines(inner)
  const owned = inner.map(
    (line, index) => places[index] === 'root' && findOpenQuote(line) === null && isOwn(line),
  )
  const within = inner.slice(0, isClosed ? end : owned.lastIndexOf(true) + 1)
  const others = within.filter((_, index) => owned[index] !== true)
  return {
    before: lines.slice(0, start).join(''),
    others: others.every(line => frame.test(line)) ? '' : others.join(''),
    after: inner.slice(within.length + (isClosed ? 1 : 0)).join(''),
  }
}

/** Lines of lefthook's file that are around our command. They are also needed by a command that somebody has added to them. */
const frame = /^\s*(?:pre-push|commands):\s*$/

/** The text without our marks and our lines, or unchanged if there is no block. */
export function removeBlock(
  text: string,
  isOwn: IsOwnLine = namesRecorder,
  mark: Mark = 'fairgate-recorder',
): string {
  const found = findBlock(text, isOwn, mark)
  return found === null ? text : found.before + found.others + found.after
}

/** Puts the block before the line with this number, counted from 0. An existing block is replaced where it is. */
export function insertBlock(
  text: string,
  block: readonly string[],
  lineNumber: number,
  isOwn: IsOwnLine = namesRecorder,
  mark: Mark = 'fairgate-recorder',
): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const written = block.map(line => line + lineEnd).join('')
  const found = findBlock(text, isOwn, mark)
  if (found !== null) return found.before + written + found.others + found.after
  const lines = text.split(/(?<=\n)/)
  const before = lines.slice(0, lineNumber).join('')
  const joined = before === '' || before.endsWith('\n') ? before : before + lineEnd
  return joined + written + lines.slice(lineNumber).join('')
}
