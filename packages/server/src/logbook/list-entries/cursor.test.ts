// The two meanings of `before`: a place between two entries, and an instant.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatCursor, formatTeamCursor, parseBefore, parseTeamBefore } from './cursor.ts'

const noon = Date.parse('2026-11-21T12:00:00Z') * 1000

describe('spec 4.2: the cursor', () => {
  test('has exactly 18 fractional digits: six for the time, twelve for the number', () => {
    expect(formatCursor({ tsMicros: noon + 42, seq: 7 })).toBe('2026-11-21T12:00:00.000042000000000007Z')
  })

  test('leads back to any position', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 7_258_118_399_999_999 }),
        fc.nat({ max: 999_999_999_999 }),
        (tsMicros, seq) => {
          const text = formatCursor({ tsMicros, seq })
          expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{18}Z$/)
          expect(parseBefore(text)).toEqual({ tsMicros, seq })
        },
      ),
    )
  })
})

describe('the cursor over all teams', () => {
  test('leads back to any position of any team, and is not valid for a single team', () => {
    const anyTeam = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/)
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 999_999_999_999 }), anyTeam, (atMicros, seq, teamId) => {
        const text = formatTeamCursor({ atMicros, seq, teamId })
        expect(parseTeamBefore(text)).toEqual({ atMicros, seq, teamId })
        expect(() => parseBefore(text)).toThrow("'before' must be ISO 8601")
      }),
    )
  })

  test('also accepts cursors of a single team', () => {
    expect(parseTeamBefore('')).toBeNull()
    expect(parseTeamBefore('2026-11-21T12:00:00Z')).toEqual({ atMicros: noon, seq: 0, teamId: null })
    const cursor = formatCursor({ tsMicros: noon, seq: 7 })
    expect(parseTeamBefore(cursor)).toEqual({ atMicros: noon, seq: 7, teamId: null })
  })

  test.each(['2026-11-21T12:00:00Z~red', '~red', '2026-11-21T12:00:00.000042000000000007Z~', 'x~red'])(
    'refuses %p',
    text => {
      expect(() => parseTeamBefore(text)).toThrow("'before' must be ISO 8601")
    },
  )
})

describe('spec 4.2: a plain instant', () => {
  test.each([
    ['2026-11-21T12:00:00Z', noon],
    ['2026-11-21T21:00:00+09:00', noon],
    ['2026-11-21T21:00:00 09:00', noon],
    ['2026-11-21T21:00:00 0900', noon],
    ['2026-11-21 12:00', noon],
    ['2026-11-21T12:00:00', noon],
    ['2026-11-21T12:00:00.5Z', noon + 500_000],
    ['2026-11-21T12:00:00.000001Z', noon + 1],
    ['2026-11-21T12:00:00.0000010Z', noon + 1],
    ['2026-11-21T12:00:00.0000011Z', noon + 2],
    ['2026-11-21T12:00:00.9999999Z', noon + 1_000_000],
    ['2026-11-21', noon - 43_200_000_000],
    ['9999-12-31T23:59:59Z', Number.MAX_SAFE_INTEGER],
    ['1969-12-31T23:59:59Z', -1_000_000],
  ])('%s', (text, tsMicros) => {
    expect(parseBefore(text)).toEqual({ tsMicros, seq: 0 })
  })

  test('an empty text is no bound', () => {
    expect(parseBefore('')).toBeNull()
  })

  test.each(['now', '2026-11-21T', '1795253400', '2026-11-21T12:00:00%2B09:00', "' or 1=1 --"])(
    'refuses %p',
    text => {
      expect(() => parseBefore(text)).toThrow("'before' must be ISO 8601")
    },
  )
})
