// Codes of refusals as people say them.
import { expect, test } from 'bun:test'
import { nameRefusal } from './refusal.ts'

test.each([
  ['rpm_exceeded', 'requests per minute'],
  ['upstream_error', 'upstream error'],
])('%s is shown as %s', (code, name) => {
  expect(nameRefusal(code)).toBe(name)
})
