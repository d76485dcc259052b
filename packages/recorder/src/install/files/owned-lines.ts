// Puts our lines into a file of lines (TOML, `.env`, `info/exclude`) so that they win over the user's, and takes them back to the byte.
//
// The lines stand in marked blocks. A line of the user that would contradict them becomes a comment in its place.
import { hasBlock, insertBlock, removeBlock, writeBlock } from './marked-block.ts'

const mark = 'fairgate-connection'
const keptPrefix = '# fairgate-connection kept: '
const note = 'calls go through the gateway. "fairgate-recorder disconnect" removes this.'

export type OwnedLines = {
  /** At the top of the file. */
  readonly top: readonly string[]
  /** After the line with this number, counted from 0 in the text without our lines. */
  readonly after?: readonly { readonly line: number; readonly lines: readonly string[] }[]
  /** The numbers of the lines that contradict ours. */
  readonly setAside?: ReadonlySet<number>
}

/** `text` is null when there is no file, and must not have our lines. */
export function putOwnedLines(text: string | null, { top, after = [], setAside }: OwnedLines): string {
  const source = text ?? ''
  const start = source.startsWith('\uFEFF') ? '\uFEFF' : ''
  const lineEnd = source.includes('\r\n') ? '\r\n' : '\n'
  const write = (lines: readonly string[]) =>
    lines.length === 0
      ? ''
      : writeBlock(note, lines, '', mark)
          .map(line => line + lineEnd)
          .join('')
  const lines = splitLines(source.slice(start.length)).map((line, number) => {
    const inner = after.filter(place => place.line === number).flatMap(place => place.lines)
    const kept = setAside?.has(number) ? keptPrefix + line : line
    if (inner.length === 0) return kept
    return (kept.endsWith('\n') ? kept : kept + lineEnd) + write(inner)
  })
  return start + write(top) + lines.join('')
}

/** Without our lines, and with those of the user that were set aside. */
export function removeOwnedLines(text: string): string {
  const start = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  let rest = text.slice(start.length)
  while (hasBlock(rest, mark)) {
    const shorter = removeBlock(rest, mark)
    // The end of the block is gone, so nobody can tell how far it goes.
    if (shorter === rest) throw new Error(`the line "# <<< ${mark}" is missing`)
    rest = shorter
  }
  return start + rest.replaceAll(new RegExp(`^${keptPrefix}`, 'gm'), '')
}

/** The block of names in git's list of ignored files. */
export function putExcludedNames(text: string, names: readonly string[]): string {
  const block = writeBlock(
    'settings that hold a gateway key. "fairgate-recorder disconnect" removes it.',
    names,
    '',
    mark,
  )
  return insertBlock(text, block, 0, mark)
}

export function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}
