// Colours the pages of verbs by the first words of their lines, and breaks long lines below their last column.
import { displayWidth, wrapText } from './display-width.ts'
import type { Line, Look } from './paint.ts'

/** The first pattern that matches counts. Its last group is coloured. */
const rules: readonly (readonly [RegExp, Look])[] = [
  [/^()(ok|restored|changed)(?= )/, 'good'],
  [/^()(warning|secret\?|would change)(?= )/, 'careful'],
  [/^()(failed|refused|LEFT AS IT IS)(?= )/, 'bad'],
  [/^([a-z]+ +)(hooked)(?= {2})/, 'good'],
  [/^([a-z]+ +)(not trusted|switched off)(?= {2})/, 'careful'],
  [/^([a-z]+ +)(no hooks)(?= {2})/, 'faint'],
  [/^()(repository|logbook|entries|last send|tools|git|files)(?= {2})/, 'strong'],
  [/^()(Nothing stands in the way.*)$/, 'good'],
  [/^()(\d+ to fix\.)$/, 'bad'],
  [/^()(What remains for you:)$/, 'strong'],
]

/** The same for the differences between files. */
const differenceRules: readonly (readonly [RegExp, Look])[] = [
  [/^()(\+\+\+.*|---.*)$/, 'strong'],
  [/^()(\+.*)$/, 'good'],
  [/^()(-.*)$/, 'bad'],
  [/^()(@@.*)$/, 'accent'],
]

/** `isDifference`: the page shows differences between files. Their lines are not broken. */
export function highlightPage(page: string, width: number, isDifference: boolean): Line[] {
  const lines = page.replace(/\n$/, '').split('\n')
  if (isDifference) return lines.map(line => highlightLine(line, [...differenceRules, ...rules]))
  return lines.flatMap(line => breakLine(line, width)).map(line => highlightLine(line, rules))
}

function highlightLine(line: string, known: readonly (readonly [RegExp, Look])[]): Line {
  for (const [pattern, look] of known) {
    const [, before, found] = pattern.exec(line) ?? []
    if (before !== undefined && found !== undefined)
      return [before, [look, found], line.slice(before.length + found.length)]
  }
  return [line]
}

const narrowest = 20

function breakLine(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line]
  const columns = /^.*? {2,}(?=\S)(?:\S.*? {2,}(?=\S))*/.exec(line)?.[0] ?? ''
  const begin = displayWidth(columns) > width - narrowest ? '' : columns
  const [first = '', ...others] = wrapText(line.slice(begin.length), width - displayWidth(begin))
  return [begin + first, ...others.map(other => ' '.repeat(displayWidth(begin)) + other)]
}
