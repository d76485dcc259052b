// Signed amounts, and texts that are not amounts.
import { expect, test } from 'bun:test'
import { readChange } from './read-change.ts'

test('an amount raises the cost; a hyphen or minus sign lowers it', () => {
  expect(readChange('0.25')).toBe(250_000_000)
  expect(readChange(' +$1')).toBe(1_000_000_000)
  expect(readChange('-0.000001')).toBe(-1000)
  expect(readChange('− 2')).toBe(-2_000_000_000)
})

test('empty text, words and double signs are not amounts', () => {
  expect([readChange(''), readChange('0'), readChange('-'), readChange('ten'), readChange('--1')]).toEqual([
    null,
    null,
    null,
    null,
    null,
  ])
})
