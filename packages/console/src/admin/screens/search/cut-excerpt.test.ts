// Hits are marked where the server says, whatever characters stand before them.
import { expect, test } from 'bun:test'
import { cutExcerpt } from './cut-excerpt.ts'

test('hits are counted in code points', () => {
  expect(cutExcerpt('😀 find me', [[2, 6]])).toEqual([
    { text: '😀 ', isHit: false, at: 0 },
    { text: 'find', isHit: true, at: 2 },
    { text: ' me', isHit: false, at: 6 },
  ])
})

test('ranges that meet, or none at all', () => {
  expect(
    cutExcerpt('abcd', [
      [0, 2],
      [1, 3],
    ]).map(({ text, isHit }) => [text, isHit]),
  ).toEqual([
    ['ab', true],
    ['c', true],
    ['d', false],
  ])
  expect(cutExcerpt('abcd', [])).toEqual([{ text: 'abcd', isHit: false, at: 0 }])
})
