// Walking finds what parsing finds, in any JSON, and never does worse than throw on anything else.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { walkJson } from './walk-json.ts'

const encode = (text: string) => new TextEncoder().encode(text)

function collect(text: string): { members: [string, unknown][]; repeated: string[] } {
  const bytes = encode(text)
  const members: [string, unknown][] = []
  const repeated: string[] = []
  walkJson(bytes, {
    member: (path, start, end) =>
      members.push([JSON.stringify(path), JSON.parse(Buffer.from(bytes.subarray(start, end)).toString())]),
    repeated: path => repeated.push(path.join('.')),
  })
  return { members, repeated }
}

function listMembers(value: unknown, path: (string | number)[] = []): [string, unknown][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => listMembers(item, [...path, index]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]): [string, unknown][] => [
    ...listMembers(member, [...path, name]),
    [JSON.stringify([...path, name]), member],
  ])
}

test('every member of any JSON, with its path and its value, in any layout', () => {
  const property = fc.property(fc.json(), fc.constantFrom(0, 1, '\t', '\r\n '), (text, indent) => {
    const value: unknown = JSON.parse(text)
    // As parsing keeps them: one of two equal names.
    const { members, repeated } = collect(JSON.stringify(value, null, indent))
    expect(members).toEqual(listMembers(value))
    expect(repeated).toEqual([])
  })
  fc.assert(property, { numRuns: 500 })
})

describe('names that come twice', () => {
  test.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":{"b":1,"b":2}}', ['a.b']],
    ['[{"a":1},{"a":2,"\\u0061":3}]', ['1.a']],
    ['{"a":"\\"a\\":1","b":1}', []],
    ['{"\\\\":1,"b\\"":2}', []],
  ])('%s', (text, expected) => expect(collect(text).repeated).toEqual(expected))
})

test('invalid JSON ends, at worst with a SyntaxError', () => {
  const pieces = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'a', '1', ' ', '"a"', '{"a":')
  const property = fc.property(fc.array(pieces, { maxLength: 40 }), parts => {
    try {
      walkJson(encode(parts.join('')), { member: () => undefined })
    } catch (error) {
      expect(error).toBeInstanceOf(SyntaxError)
    }
  })
  fc.assert(property, { numRuns: 2000 })
  expect(() => walkJson(encode('['.repeat(100_000)), { member: () => undefined })).toThrow(SyntaxError)
})

// Fails on a walker that gives up: a deliberately nested reply would then be charged at its hold, with its usage unread.
test('contents that are nested too deeply are skipped if requested, and everything after them is found', () => {
  for (const deep of [
    `${'['.repeat(100_000)}"]}"${']'.repeat(100_000)}`,
    `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  ]) {
    const bytes = encode(`{"args":${deep},"after":{"it":7}}`)
    const found: string[] = []
    walkJson(bytes, {
      skipsDeep: true,
      member: (path, start, end) => {
        if (path.length === 1) found.push(`${path[0]} ${end - start}`)
      },
    })
    expect(found).toEqual([`args ${deep.length}`, 'after 8'])
    expect(() => walkJson(bytes.subarray(0, -20), { skipsDeep: true, member: () => undefined })).toThrow(
      SyntaxError,
    )
  }
})
