// A block of our lines in somebody else's file, between two marks that let us find it again.

/** Whose block it is. Hooks and the connection to the gateway can each have one in the same file. */
export type Mark = 'fairgate-recorder' | 'fairgate-connection'

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

const patternOf = (mark: Mark) =>
  new RegExp(`(?:^|(?<=\\n))[ \\t]*# >>> ${mark}[\\s\\S]*?# <<< ${mark}[^\\n]*(?:\\n|$)`)

/** The text without the block, or unchanged if there is none. */
export function removeBlock(text: string, mark: Mark = 'fairgate-recorder'): string {
  return text.replace(patternOf(mark), '')
}

/** Puts the block before the line with this number, counted from 0. An existing block is replaced where it is. */
export function insertBlock(
  text: string,
  block: readonly string[],
  lineNumber: number,
  mark: Mark = 'fairgate-recorder',
): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const written = block.map(line => line + lineEnd).join('')
  const pattern = patternOf(mark)
  if (pattern.test(text)) return text.replace(pattern, () => written)
  const lines = text.split(/(?<=\n)/)
  const before = lines.slice(0, lineNumber).join('')
  const joined = before === '' || before.endsWith('\n') ? before : before + lineEnd
  return joined + written + lines.slice(lineNumber).join('')
}
