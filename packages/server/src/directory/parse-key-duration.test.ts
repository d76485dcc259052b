// The durations that a key may have, and their lengths.
import { describe, expect, test } from 'bun:test'
import { parseGrace, parseKeyDuration } from './parse-key-duration.ts'

describe('parseKeyDuration', () => {
  test.each([
    ['1s', 1000],
    ['90s', 90_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
    ['4w', 2_419_200_000],
    ['3660d', 316_224_000_000],
  ])('%s', (text, milliseconds) => {
    expect(parseKeyDuration(text)).toBe(milliseconds)
  })

  test.each([
    '',
    '0s',
    '-1d',
    '01h',
    '1.5h',
    '1',
    'd',
    '1m',
    '1y',
    ' 1d',
    '1d ',
    '1D',
    '1d1h',
    '9999999999s',
  ])('"%s" is refused with the allowed forms', text => {
    expect(() => parseKeyDuration(text)).toThrow(/seconds, hours, days or weeks/)
  })

  test.each(['3661d', '523w', '999999999h'])('%s is longer than ten years', text => {
    expect(() => parseKeyDuration(text)).toThrow(/at most ten years/)
    expect(() => parseKeyDuration(text)).toThrow(RangeError)
  })
})

describe('parseGrace', () => {
  test.each([
    ['0s', 0],
    ['90s', 90_000],
    ['15m', 900_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
  ])('%s', (text, length) => {
    expect(parseGrace(text)).toBe(length)
  })

  test.each(['15', 'm', '1w', '-1m', '31d', '999999999m'])('%s is refused', text => {
    expect(() => parseGrace(text)).toThrow(RangeError)
  })
})
