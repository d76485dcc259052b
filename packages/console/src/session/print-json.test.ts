// JSON is shown exactly as it was sent.
import { expect, test } from 'bun:test'
import { findMember, printJson } from './print-json.ts'

test('numbers, escapes and repeated names stay as they were sent', () => {
  expect(printJson('{"a":1.50,"a":1e400,"b":["\\u0041",{},[]],"c":"x:{,\\"}"}')).toBe(
    [
      '{',
      '  "a": 1.50,',
      '  "a": 1e400,',
      '  "b": [',
      '    "\\u0041",',
      '    {},',
      '    []',
      '  ],',
      '  "c": "x:{,\\"}"',
      '}',
    ].join('\n'),
  )
})

test('a member is found with its original text, at the top level only', () => {
  const text = '{"token":{"entry":1},"name":"entry","entry":{"z":1.0,"__proto__":{"entry":2}} }'
  expect(findMember(text, 'entry')).toBe('{"z":1.0,"__proto__":{"entry":2}}')
  expect(findMember(text, 'name')).toBe('"entry"')
  expect(findMember(text, 'nothing')).toBeNull()
})
