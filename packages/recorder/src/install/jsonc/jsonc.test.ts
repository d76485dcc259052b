// Adding to and removing from JSON with comments, next to neighbours that make it difficult.
import { describe, expect, test } from 'bun:test'
import { insertItem, insertMember, removeChild } from './edit-jsonc.ts'
import { findNode, parseAccepted, parseJsonc, readValue } from './jsonc.ts'

describe('adding', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['an empty list', '{"a": []}', '{"a": [1]}'],
    ['a list on one line', '{"a": [0]}', '{"a": [0, 1]}'],
    ['without blanks', '{"a":[0]}', '{"a":[0,1]}'],
    ['over lines', '{\n\t"a": [\n\t\t0\n\t]\n}', '{\n\t"a": [\n\t\t0,\n\t\t1\n\t]\n}'],
    ['after a comment', '{\n  "a": [\n    0 // zero\n  ]\n}', '{\n  "a": [\n    0, // zero\n    1\n  ]\n}'],
    ['after a comma', '{\n  "a": [\n    0,\n  ]\n}', '{\n  "a": [\n    0,\n    1,\n  ]\n}'],
    ['line ends of Windows', '{\r\n  "a": []\r\n}', '{\r\n  "a": [\r\n    1\r\n  ]\r\n}'],
    ['brackets in texts', '{"b": "]}", "a": [0]}', '{"b": "]}", "a": [0, 1]}'],
  ]
  test.each([...cases])('%s', (_, before, after) => {
    expect(insertItem(before, ['a'], 1)).toBe(after)
  })
  test('of two members with the same name the last one counts', () => {
    expect(insertMember('{"a": {}, "a": {"b": 1}}', ['a'], 'c', 2)).toBe('{"a": {}, "a": {"b": 1, "c": 2}}')
  })
})

// Shown to fail on the build before, which let comments into the settings of Claude Code.
describe('what a tool does not accept is refused with its line', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{\n  // note\n}', 'line 2 has a comment'],
    ['{"a": "// none", /* note */ "b": 1}', 'line 1 has a comment'],
    ['{"a": ",]",\n "b": [1, // one\n]}', 'line 2 has an extra comma'],
    ['\uFEFF{}', 'line 1 has a byte order mark'],
  ]
  test.each([...cases])('%j', (text, reason) => {
    expect(() => parseAccepted(text, [])).toThrow(reason)
    expect(readValue(parseAccepted(text, ['comment', 'extra comma', 'byte order mark']))).toEqual(
      readValue(parseJsonc(text)),
    )
  })
})

describe('taking out', () => {
  const cases: readonly (readonly [string, string, number, string])[] = [
    ['the first', '[0, 1, 2]', 0, '[1, 2]'],
    ['one between', '[0, 1, 2]', 1, '[0, 2]'],
    ['the last', '[0, 1, 2]', 2, '[0, 1]'],
    ['the last before a comma', '[0, 1,]', 1, '[0,]'],
    ['the only one', '[\n  0\n]', 0, '[\n]'],
    ['one on its own line', '[\n  0,\n  1,\n  2\n]', 1, '[\n  0,\n  2\n]'],
    // A comment must not swallow what follows it. Shown to fail without the check in `removeChild`.
    ['one behind a line comment', '[ // note\n  0, 1]', 0, '[ // note\n   1]'],
    ['one before a comment', '[\n  0, // zero\n  1 // one\n]', 1, '[\n  0 // zero // one\n]'],
  ]
  test.each([...cases])('%s', (_, before, index, after) => {
    const list = findNode(parseJsonc(before), [])
    if (list?.type !== 'array') throw new Error('no list')
    const values = readValue(list) as unknown[]
    const rest = removeChild(before, list, index)
    expect(rest).toBe(after)
    expect(readValue(parseJsonc(rest))).toEqual(values.filter((_value, place) => place !== index))
  })
})
