// Compares an OpenAPI document with the recorded one by meaning. White space and the order of members do not count; descriptions do.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { layOutJson } from './lay-out-json.ts'
import { findDifference, shorten } from './shorten.ts'

const folder = join(import.meta.dir, 'golden')
/** Fits most operations and components in one line. */
const lineWidth = 2000
const maxShown = 25

type Difference = { readonly pointer: string; readonly lines: readonly string[] }

/** Returns null if both documents mean the same. UPDATE_WIRE=1 records the new one. */
export function compareDocument(name: string, text: string): string | null {
  const path = join(folder, `${name}.json`)
  const actual: unknown = JSON.parse(text)
  if (process.env.UPDATE_WIRE === '1') {
    writeFileSync(path, `${layOutJson(actual, lineWidth).join('\n')}\n`)
    return null
  }
  if (!existsSync(path)) return `${path} does not exist: UPDATE_WIRE=1 records it.`
  return describeDifferences(JSON.parse(readFileSync(path, 'utf8')), actual)
}

/** Returns null if there are none. */
export function describeDifferences(expected: unknown, actual: unknown): string | null {
  const differences = listDifferences(expected, actual, '')
  if (differences.length === 0) return null
  const shown = differences.slice(0, maxShown).map(({ pointer, lines }) => [pointer, ...lines].join('\n'))
  const left = differences.length - shown.length
  return [...shown, ...(left > 0 ? [`… and ${left} more differences`] : [])].join('\n\n')
}

/** `pointer` is the JSON pointer (RFC 6901) of both values. */
function listDifferences(expected: unknown, actual: unknown, pointer: string): Difference[] {
  if (Array.isArray(expected) && Array.isArray(actual)) return compareLists(expected, actual, pointer)
  if (isObject(expected) && isObject(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)])
    return [...names].flatMap(name => {
      const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      if (!Object.hasOwn(actual, name)) return [removed(expected[name], at)]
      if (!Object.hasOwn(expected, name)) return [added(actual[name], at)]
      return listDifferences(expected[name], actual[name], at)
    })
  }
  if (expected === actual) return []
  const [before, after] = [JSON.stringify(expected), JSON.stringify(actual)]
  const place = findDifference(before, after)
  return [
    { pointer: `changed ${pointer}`, lines: [`- ${shorten(before, place)}`, `+ ${shorten(after, place)}`] },
  ]
}

/** Common items at the start and the end are left out, so one more item is one difference. */
function compareLists(
  expected: readonly unknown[],
  actual: readonly unknown[],
  pointer: string,
): Difference[] {
  const shorter = Math.min(expected.length, actual.length)
  const isSame = (left: unknown, right: unknown) => listDifferences(left, right, '').length === 0
  let start = 0
  while (start < shorter && isSame(expected[start], actual[start])) start += 1
  let tail = 0
  while (tail < shorter - start && isSame(expected.at(-1 - tail), actual.at(-1 - tail))) tail += 1
  const pairEnd = shorter - tail
  return Array.from({ length: Math.max(expected.length, actual.length) - tail - start }, (_, offset) => {
    const at = start + offset
    if (at < pairEnd) return listDifferences(expected[at], actual[at], `${pointer}/${at}`)
    return expected.length > actual.length
      ? [removed(expected[at], `${pointer}/${at}`)]
      : [added(actual[at], `${pointer}/${at}`)]
  }).flat()
}

function added(value: unknown, pointer: string): Difference {
  return { pointer: `added ${pointer}`, lines: [`+ ${shorten(JSON.stringify(value), 0)}`] }
}

function removed(value: unknown, pointer: string): Difference {
  return { pointer: `removed ${pointer}`, lines: [`- ${shorten(JSON.stringify(value), 0)}`] }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
