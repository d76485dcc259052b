// Checks what counts as structure in a JSON text: never the contents of strings.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { checkJsonStructure } from './check-json-structure.ts'

function check(text: string, depth = 3, values = 4): string {
  try {
    checkJsonStructure(new TextEncoder().encode(text), { depth, values })
    return 'passes'
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error)
  }
}

test.each([
  ['[[[]]]', 'passes'],
  ['[[[[]]]]', 'invalid_json'],
  ['{"a":{"b":{"c":{}}}}', 'invalid_json'],
  ['[1,2,3,4]', 'passes'],
  ['[1,2,3,4,5]', 'payload_too_large'],
  ['["[[[[[[,,,,,,"]', 'passes'],
  [String.raw`["\"[[[[[[,,,,,,"]`, 'passes'],
  [String.raw`["\\",[],[],[],[]]`, 'payload_too_large'],
  [String.raw`["\\\"[[[[[[,,,,,,"]`, 'passes'],
  ['["never ended [[[[[[,,,,,,', 'passes'],
  [']]]]]][[[', 'passes'],
])('%s: %s', (text, expected) => {
  expect(check(text)).toBe(expected)
})
