// Nesting is bounded exactly, at any depth, and brackets in texts do not count.
import { expect, test } from 'bun:test'
import { maxJsonDepth, parseJsonWithin } from './nested-json.ts'

const nest = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const parse = (text: string) => () => parseJsonWithin(text, maxJsonDepth)

test('accepts 64 levels; refuses 65 and 200,000', () => {
  expect(parse(nest(64))).not.toThrow()
  for (const levels of [65, 200_000]) expect(parse(nest(levels))).toThrow(SyntaxError)
  expect(parse(`${'['.repeat(65)}${']'.repeat(65)}`)).toThrow('more than 64 levels')
})

test('brackets in strings and next to each other do not count; invalid JSON is refused', () => {
  expect(
    parse(JSON.stringify({ text: '[{'.repeat(500), list: Array.from({ length: 500 }, () => ({})) })),
  ).not.toThrow()
  expect(parse('{"a":')).toThrow(SyntaxError)
})
