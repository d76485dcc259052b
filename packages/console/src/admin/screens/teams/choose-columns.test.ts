// Hidden columns, to and from the address.
import { expect, test } from 'bun:test'
import { readHidden, toggleHidden } from './choose-columns.ts'

test('only existing columns can be hidden', () => {
  expect([...readHidden('spark,none,calls', ['calls', 'spark', 'last'])]).toEqual(['calls', 'spark'])
  expect(readHidden(undefined, ['calls']).size).toBe(0)
})

test('a column is hidden and shown again', () => {
  expect(toggleHidden(new Set(), 'calls')).toBe('calls')
  expect(toggleHidden(new Set(['calls']), 'spark')).toBe('calls,spark')
  expect(toggleHidden(new Set(['calls']), 'calls')).toBeUndefined()
})
