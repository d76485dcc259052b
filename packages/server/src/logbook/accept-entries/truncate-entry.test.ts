// The limits of stored text, in code points.
import { describe, expect, test } from 'bun:test'
import { cutText, isLongerThan } from '@fairgate/contracts/logbook/cut-text.ts'
import fc from 'fast-check'
import { buildEntry } from '../testing/build-entry.ts'
import { truncateEntry } from './truncate-entry.ts'

const emoji = '\u{1f600}'

describe('spec 8: cutText', () => {
  test('counts code points and never splits one', () => {
    expect(cutText(emoji.repeat(3), 2)).toBe(emoji.repeat(2))
    expect(cutText(`a${emoji}b`, 2)).toBe(`a${emoji}`)
    expect(isLongerThan(emoji.repeat(512), 512)).toBe(false)
    expect(isLongerThan(emoji.repeat(513), 512)).toBe(true)
  })

  test('keeps the first code points of any text, including lone surrogates', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.nat(45),
        fc.nat(40),
        (text, limit, place) => {
          const broken = `${text.slice(0, place)}\ud800${text.slice(place)}`
          expect(cutText(broken, limit)).toBe([...broken].slice(0, limit).join(''))
          expect(isLongerThan(broken, limit)).toBe([...broken].length > limit)
        },
      ),
    )
  })
})

describe('spec 2.10, spec 2.11, spec 8: truncateEntry', () => {
  test.each([
    ['prompt', 1000],
    ['tool_response', 4000],
    ['response_summary', 4000],
  ] as const)('cuts %s to %d code points', (name, limit) => {
    expect(truncateEntry(buildEntry({ [name]: emoji.repeat(limit + 1) }))[name]).toBe(emoji.repeat(limit))
    const exact = buildEntry({ [name]: emoji.repeat(limit) })
    expect(truncateEntry(exact)).toBe(exact)
  })

  test('an object over the limit becomes its cut JSON text, one within it stays an object', () => {
    const large = { text: 'x'.repeat(5000) }
    expect(truncateEntry(buildEntry({ tool_response: large })).tool_response).toBe(
      JSON.stringify(large).slice(0, 4000),
    )
    const small = buildEntry({ tool_response: { text: 'x' } })
    expect(truncateEntry(small)).toBe(small)
  })

  test('leaves tool_input, tool_error, stop_reason and unknown members unchanged', () => {
    const long = 'y'.repeat(20_000)
    const entry = buildEntry({
      tool_input: { command: long },
      tool_error: long,
      stop_reason: long,
      other: long,
    })
    expect(truncateEntry(entry)).toBe(entry)
  })

  test('cutting keeps __proto__ as a plain member', () => {
    const entry = JSON.parse(`{"__proto__":{"a":1},"prompt":"${'x'.repeat(1001)}"}`) as {
      [name: string]: unknown
    }
    const cut = truncateEntry(entry)
    expect(Object.keys(cut)).toEqual(['__proto__', 'prompt'])
    expect(Object.getPrototypeOf(cut)).toBe(Object.prototype)
  })
})
