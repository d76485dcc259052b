// Any moment, in any time zone, is written so that it reads back as the same instant.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatLocalTime } from './build-entry.ts'

test.each([
  [540, '2026-03-01T14:03:07.512+09:00'],
  [0, '2026-03-01T05:03:07.512+00:00'],
  [-210, '2026-03-01T01:33:07.512-03:30'],
  [345, '2026-03-01T10:48:07.512+05:45'],
])('%d minutes east', (offset, text) => {
  expect(formatLocalTime(new Date('2026-03-01T05:03:07.512Z'), offset)).toBe(text)
})

test('the instant stays', () => {
  const moments = fc.date({ min: new Date('1970-01-02'), max: new Date('2199-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(moments, fc.integer({ min: -12 * 60, max: 14 * 60 }), (moment, offset) => {
      expect(Date.parse(formatLocalTime(moment, offset))).toBe(moment.getTime())
    }),
  )
})
