// Colours lines of text for a terminal. Text from others is made harmless first, so that only our codes reach the terminal.
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'

export type Look = 'strong' | 'faint' | 'good' | 'careful' | 'bad' | 'accent'

export type Span = string | readonly [look: Look, text: string]

/** A line without its line break. */
export type Line = readonly Span[]

const codes: Readonly<Record<Look, readonly [on: number, off: number]>> = {
  strong: [1, 22],
  faint: [2, 22],
  good: [32, 39],
  careful: [33, 39],
  bad: [31, 39],
  accent: [36, 39],
}

export function paintLine(line: Line, hasColor: boolean): string {
  return line
    .map(span => {
      const [look, text] = typeof span === 'string' ? [null, span] : span
      return look === null || !hasColor || text === '' ? showLine(text) : paint(look, showLine(text))
    })
    .join('')
    .trimEnd()
}

function paint(look: Look, text: string): string {
  const [on, off] = codes[look]
  return `\u001b[${on}m${text}\u001b[${off}m`
}
