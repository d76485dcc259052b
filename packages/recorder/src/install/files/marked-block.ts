// A block of our lines in somebody else's file, between two marks that let us find it again.

const blockStart = '# >>> fairgate-recorder'
const blockEnd = '# <<< fairgate-recorder'

/** The lines with their marks. `note` tells a reader what they do. */
export function writeBlock(note: string, lines: readonly string[], indentation = ''): string[] {
  return [`${blockStart}: ${note}`, ...lines, blockEnd].map(line => `${indentation}${line}`)
}

export function hasBlock(text: string): boolean {
  return text.includes(blockStart)
}

const blockPattern = /(?:^|(?<=\n))[ \t]*# >>> fairgate-recorder[\s\S]*?# <<< fairgate-recorder[^\n]*(?:\n|$)/

/** The text without the block, or unchanged if there is none. */
export function removeBlock(text: string): string {
  return text.replace(blockPattern, '')
}

/** Puts the block before the line with this number, counted from 0. An existing block is replaced where it is. */
export function insertBlock(text: string, block: readonly string[], lineNumber: number): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const written = block.map(line => line + lineEnd).join('')
  if (blockPattern.test(text)) return text.replace(blockPattern, () => written)
  const lines = text.split(/(?<=\n)/)
  const before = lines.slice(0, lineNumber).join('')
  const joined = before === '' || before.endsWith('\n') ? before : before + lineEnd
  return joined + written + lines.slice(lineNumber).join('')
}
