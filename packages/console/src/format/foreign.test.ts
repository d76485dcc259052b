// Text from others is split into parts so that everything in it is visible.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { mixesScripts, readForeign } from './foreign.ts'

const labels = (text: string, keepsLines = false) =>
  readForeign(text, { keepsLines }).parts.map(part =>
    part.kind === 'plain' ? part.text : part.kind === 'hidden' ? `[${part.label}]` : `(+${part.count} marks)`,
  )

test.each([
  ['plain text', ['plain text']],
  ['a\u202eb', ['a', '[RLO U+202E]', 'b']],
  ['zero\u200bwidth', ['zero', '[ZWSP U+200B]', 'width']],
  ['null\u0000', ['null', '[U+0000]']],
  ['lone \ud800 half', ['lone ', '[U+D800]', ' half']],
  ['tag \u{e0041}', ['tag ', '[TAG U+E0041]']],
  ['family 👨‍👩‍👧 ❤️', ['family 👨‍👩‍👧 ❤️']],
  ['한국어 العربية', ['한국어 العربية']],
  [`z${'\u0301'.repeat(31)}!`, [`z${'\u0301'.repeat(8)}`, '(+23 marks)', '!']],
])('%j is shown as %j', (text, shown) => {
  expect(labels(text)).toEqual(shown)
})

test('line breaks are kept in multi-line text and shown as symbols elsewhere', () => {
  expect(labels('a\nb\tc', true)).toEqual(['a\nb\tc'])
  expect(labels('a\nb')).toEqual(['a', '[U+000A]', 'b'])
})

test('terminal colours are removed and counted', () => {
  const read = readForeign('\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007')
  expect([read.parts, read.escapes]).toEqual([[{ kind: 'plain', text: 'red link' }], 4])
})

test('long text is truncated, with the amount that is missing', () => {
  const read = readForeign(`${'x'.repeat(99)}😀yy`, { most: 100 })
  expect([read.parts, read.cut]).toEqual([[{ kind: 'plain', text: 'x'.repeat(99) }], 4])
})

test('plain parts contain no invisible characters', () => {
  const invisible = /[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\ufeff\u0000-\u001f\u007f-\u009f]/
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => {
      for (const part of readForeign(text).parts) {
        if (part.kind === 'plain') expect(part.text).not.toMatch(invisible)
      }
    }),
  )
})

test('names that mix alphabets are flagged', () => {
  expect(['Red Pandas', 'Rеd Pandas', 'Ωmega team', '한국 Team'].map(mixesScripts)).toEqual([
    false,
    true,
    true,
    false,
  ])
})
