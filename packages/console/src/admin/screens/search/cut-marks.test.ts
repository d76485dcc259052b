// Marks stand where the server says, also behind characters that are two units long.
import { expect, test } from 'bun:test'
import { cutMarks } from './cut-marks.ts'

test('code points, not units', () => {
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

test('ranges that overlap or reach too far lose nothing', () => {
  const pieces = cutMarks('abcdef', [
    [2, 9],
    [0, 3],
  ])
  expect(pieces.map(({ text }) => text).join('')).toBe('abcdef')
})
