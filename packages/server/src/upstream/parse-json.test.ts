// JSON of an upstream: how deep it may be, when a silent body is whole, and what a cut one still contains.
import { describe, expect, test } from 'bun:test'
import { deepestReply, isWholeJson, parseCutReply, parseReply } from './narrow-json.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

test('as deep as any answer, and no deeper', () => {
  expect(() => parseReply(bytes(nested(deepestReply)))).not.toThrow()
  expect(() => parseReply(bytes(`{"a":${nested(deepestReply)}}`))).toThrow('too deeply')
  expect(() => parseReply(bytes(nested(100_000)))).toThrow('too deeply')
  expect(parseReply(bytes('\ufeff{"a":1}'))).toEqual({ a: 1 })
})

test.each([
  ['{"a":1}', true],
  ['[{"a":"}"}] \n', true],
  ['{"a":{"b":1}', false],
  ['{"a":"x}', false],
  ['1', false],
  ['', false],
])('%p is whole: %p', (text, whole) => {
  expect(isWholeJson(bytes(text))).toBe(whole)
})

describe('a document that was cut off', () => {
  test.each<[string, unknown]>([
    ['{"error":{"code":400,"message":"topP is wr', { error: { code: 400, message: 'topP is wr' } }],
    ['{"error":{"details":[{"a":1},{"b":"c"', { error: { details: [{ a: 1 }, { b: 'c' }] } }],
    ['{"error":{"message":"a \\"b\\\\', { error: { message: 'a "b\\' } }],
    ['{"error":{"message":"a \\', { error: { message: 'a ' } }],
    ['{"error":{"message":"a \\u00e', { error: { message: 'a ' } }],
    ['{"error":{"message":"[{', { error: { message: '[{' } }],
    ['{"error":{"mess', null],
    ['{"error":', null],
    ['<html>', null],
    ['', null],
    ['['.repeat(60_000), null],
  ])('%p', (text, said) => {
    expect(parseCutReply(bytes(text))).toEqual(said)
  })
})
