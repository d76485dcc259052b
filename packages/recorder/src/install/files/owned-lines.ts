// Puts our lines into a file of lines (TOML, `.env`, `info/exclude`) so that they win over the user's, and takes them back to the byte.
//
// The lines are in marked blocks. A line of the user that would contradict them becomes a comment in its place.
import { classifyLines } from '../toml/read-toml.ts'
import { findBlock, type IsOwnLine, nameOfLine, writeBlock } from './marked-block.ts'

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

/** Whether two texts have the same lines of ours and of others, wherever these and the marks are. */
export function hasSameLines(one: string, other: string): boolean {
  const list = (text: string) =>
    splitLines(text.replace('\uFEFF', ''))
      .map(line => line.trimEnd())
      .filter(line => !new RegExp(`^# (?:>>>|<<<) ${mark}`).test(line))
      .sort()
  return list(one).join('\n') === list(other).join('\n')
}

/** Without our lines, and with those of the user that were set aside. What others have written between our marks stays. */
export function removeOwnedLines(text: string, isOwn: IsOwnLine): string {
  const start = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  let rest = text.slice(start.length)
  const top = splitLines(findBlock(rest, isOwn, mark)?.before ?? '').length
  for (let block = findBlock(rest, isOwn, mark); block !== null; block = findBlock(rest, isOwn, mark))
    rest = block.before + block.others + block.after
  if (rest.includes(`# <<< ${mark}`)) throw new Error(`the line "# >>> ${mark}" is missing`)
  return start + restoreKept(splitLines(rest), top).join('')
}

function restoreKept(lines: readonly string[], top: number): string[] {
  const places = classifyLines(lines)
  const set = lines.filter((_, number) => places[number] === 'root').map(nameOfLine)
  const strayed: string[] = []
  const restored = lines.flatMap((line, number) => {
    if (!line.startsWith(keptPrefix)) return [line]
    const kept = line.slice(keptPrefix.length)
    const name = nameOfLine(kept)
    // Somebody has set it again since. A second value would be an error in TOML.
    if (name !== null && set.includes(name)) return [`# ${kept}`]
    if (places[number] === 'root') return [kept]
    // Codex has put a table above it, to which it would now belong.
    strayed.push(kept.endsWith('\n') ? kept : `${kept}\n`)
    return []
  })
  return [...restored.slice(0, top), ...strayed, ...restored.slice(top)]
}

export function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}
