// The canonical text of a value, against the examples of RFC 8785 and hostile members.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { canonicalJson } from './canonical-json.ts'

describe('canonicalJson', () => {
  test('writes the example of RFC 8785, section 3.2.4', () => {
    const value: unknown = JSON.parse(
      String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
      "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    )
    const expected = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"EURO$\u000f\nA'B\"\\\\\"/"}`
    expect(canonicalJson(value)).toBe(expected.replace('EURO', '\u20ac'))
  })

  test('sorts members by UTF-16 code units, as in RFC 8785, section 3.2.3', () => {
    const value = {
      '\u20ac': 1,
      '\r': 2,
      '\ufb33': 3,
      '1': 4,
      '\ud83d\ude00': 5,
      '\u0080': 6,
      '\u00f6': 7,
      '10': 8,
    }
    expect(Object.values(JSON.parse(canonicalJson(value)))).toHaveLength(8)
    expect(canonicalJson(value)).toBe(
      '{"\\r":2,"1":4,"10":8,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    )
  })

  test('integer-like names are sorted as text, not as numbers', () => {
    expect(canonicalJson({ 9: 1, 10: 2 })).toBe('{"10":2,"9":1}')
  })

  test('__proto__, constructor and prototype are plain members', () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'
    expect(canonicalJson(JSON.parse(text))).toBe(text)
    expect('polluted' in {}).toBe(false)
  })

  test('lone surrogates and NUL are escaped, pairs are not', () => {
    expect(canonicalJson({ text: '\ud800|\u0000|\ud83d\ude00' })).toBe(
      '{"text":"\\ud800|\\u0000|\ud83d\ude00"}',
    )
  })

  test('keeps the value and does not depend on the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), value => {
        const text = canonicalJson(value)
        const parsed: unknown = JSON.parse(text)
        expect(JSON.stringify(JSON.parse(JSON.stringify(value)))).toHaveLength(text.length)
        expect(canonicalJson(reverseMembers(parsed))).toBe(text)
      }),
    )
  })
})

function reverseMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reverseMembers)
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reverseMembers(member)]),
  )
}
