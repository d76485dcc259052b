// Compares a text with its recorded form, and shows the differences in a few lines.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findDifference, shorten } from './shorten.ts'

const folder = join(import.meta.dir, 'golden')
const shownBefore = 3
const shownLines = 12
const shownPlaces = 5

/** Null if the text is as recorded; with UPDATE_WIRE=1 it is recorded. */
export function compareGolden(name: string, text: string): string | null {
  const path = join(folder, `${name}.txt`)
  if (process.env.UPDATE_WIRE === '1') {
    writeFileSync(path, text)
    return null
  }
  if (!existsSync(path)) return `${path} is not there: UPDATE_WIRE=1 records it.`
  const expected = readFileSync(path, 'utf8')
  return expected === text ? null : describeDifference(expected.split('\n'), text.split('\n'))
}

/** Removed (`-`) and added (`+`) lines, place by place, each under its exchange. */
function describeDifference(expected: readonly string[], actual: readonly string[]): string {
  const places: string[] = []
  let left = 0
  let right = 0
  while (left < expected.length || right < actual.length) {
    if (expected[left] === actual[right]) {
      left += 1
      right += 1
      continue
    }
    const [leftEnd, rightEnd] = findCommon(expected, left, actual, right)
    if (places.length === shownPlaces) {
      places.push('… and more')
      break
    }
    const exchange = expected.slice(0, left + 1).findLast(line => line.startsWith('=== ')) ?? ''
    places.push(
      [
        `line ${left + 1}, in ${exchange.slice(4)}`,
        ...expected.slice(Math.max(0, left - shownBefore), left).map(line => `  ${shorten(line, 0)}`),
        ...showSide('-', expected.slice(left, leftEnd), actual.slice(right, rightEnd)),
        ...showSide('+', actual.slice(right, rightEnd), expected.slice(left, leftEnd)),
      ].join('\n'),
    )
    left = leftEnd
    right = rightEnd
  }
  return places.join('\n\n')
}

const furthest = 400

/** The position from which both sides are equal again: the nearest pair of two equal lines. */
function findCommon(
  expected: readonly string[],
  left: number,
  actual: readonly string[],
  right: number,
): readonly [left: number, right: number] {
  for (let distance = 1; distance <= furthest; distance += 1) {
    for (let step = 0; step <= distance; step += 1) {
      const [one, other] = [left + step, right + distance - step]
      const isAlike = expected[one] === actual[other] && expected[one + 1] === actual[other + 1]
      if (isAlike && one < expected.length && other < actual.length) return [one, other]
    }
  }
  return [expected.length, actual.length]
}

/** The lines of one side, long ones from shortly before the first difference to their counterpart. */
function showSide(sign: string, lines: readonly string[], others: readonly string[]): readonly string[] {
  const shown = lines
    .slice(0, shownLines)
    .map((line, index) => `${sign} ${shorten(line, findDifference(line, others[index] ?? ''))}`)
  return lines.length <= shownLines ? shown : [...shown, `… ${lines.length - shownLines} more lines`]
}
