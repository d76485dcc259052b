// Whole numbers as people type them, and texts that are not numbers.
import { expect, test } from 'bun:test'
import { readDollarsOrNone, readSpan, readWhole, readWholeOrNone } from './read-fields.ts'

test('whole numbers, with or without commas', () => {
  expect(readWhole('0')).toBe(0)
  expect(readWhole(' 1,200 ')).toBe(1200)
  for (const text of ['', '1.5', '-1', 'x', '1e3', '9'.repeat(16)]) expect(readWhole(text)).toBeNull()
})

test('an empty field and “none” mean no limit', () => {
  expect(readWholeOrNone('')).toBeNull()
  expect(readWholeOrNone('None')).toBeNull()
  expect(readWholeOrNone('40')).toBe(40)
  expect(readWholeOrNone('many')).toBeUndefined()
  expect(readDollarsOrNone(' ')).toBeNull()
  expect(readDollarsOrNone('none')).toBeNull()
  expect(readDollarsOrNone('$12.50')).toBe(12.5)
  for (const text of ['+5', '-5', 'much']) expect(readDollarsOrNone(text)).toBeUndefined()
})

test('a duration is a whole number with a unit', () => {
  expect(readSpan(' ')).toBeNull()
  expect(readSpan(' 12h ')).toBe('12h')
  expect(readSpan('2w')).toBe('2w')
  expect(readSpan('2w', 'smhd')).toBeUndefined()
  for (const text of ['12', 'h', '1.5h', '-1h', '12x']) expect(readSpan(text)).toBeUndefined()
})
