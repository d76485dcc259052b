// Two sessions of one minute look different.
import { expect, test } from 'bun:test'
import { shortenSession } from './session.ts'

test.each([
  ['01a21d3f-1067-7a70-b997-d551201d5ef7', '…201d5ef7'],
  ['01a21d3f-1067-7a70-b997-d551201d5ef8', '…201d5ef8'],
  ['123456789', '123456789'],
  ['', ''],
])('%s', (id, shown) => {
  expect(shortenSession(id)).toBe(shown)
})
