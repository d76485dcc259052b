// A block of lines of ours within a file of somebody else, between two marks by which it is found again.

const blockStart = '# >>> fairgate-recorder'
const blockEnd = '# <<< fairgate-recorder'

/** The lines with their marks; `note` tells a reader what they do. */
export function writeBlock(note: string, lines: readonly string[], indentation = ''): string[] {
  return [`${blockStart}: ${note}`, ...lines, blockEnd].map(line => `${indentation}${line}`)
}

export function hasBlock(text: string): boolean {
  return text.includes(blockStart)
}

const blockPattern = /(?:^|(?<=\n))[ \t]*# >>> fairgate-recorder[\s\S]*?# <<< fairgate-recorder[^\n]*(?:\n|$)/

/** Without the block; the text as it is when there is none. */
export function removeBlock(text: string): string {
  return text.replace(blockPattern, '')
}

/** Puts the block before the line of this number, from 0; one that is there is renewed in its place. */
export function insertBlock(text: string, block: readonly string[], lineNumber: number): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const written = block.map(line => line + lineEnd).join('')
  if (blockPattern.test(text)) return text.replace(blockPattern, () => written)
  const lines = text.split(/(?<=\n)/)
  const before = lines.slice(0, lineNumber).join('')
  const joined = before === '' || before.endsWith('\n') ? before : before + lineEnd
  return joined + written + lines.slice(lineNumber).join('')
}
