// Marks follow the server's ranges, also after characters that take two UTF-16 units.
import { expect, test } from 'bun:test'
import { cutMarks } from './cut-marks.ts'

test('ranges count code points, not code units', () => {
  expect(
    cutMarks('😀😀 hit and hit', [
      [3, 6],
      [11, 14],
    ]),
  ).toEqual([
    { text: '😀😀 ', isMark: false },
    { text: 'hit', isMark: true },
    { text: ' and ', isMark: false },
    { text: 'hit', isMark: true },
  ])
})

test('overlapping and too long ranges lose no text', () => {
  const pieces = cutMarks('abcdef', [
    [2, 9],
    [0, 3],
  ])
  expect(pieces.map(({ text }) => text).join('')).toBe('abcdef')
})
