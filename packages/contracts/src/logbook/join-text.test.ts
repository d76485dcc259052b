// The form in which texts of calls and entries are compared: it must not matter who of the two cut the text before.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { cutText } from './cut-text.ts'
import { buildJoinText, type JoinTextKind } from './join-text.ts'
import { truncationLimits } from './limits.ts'

describe('buildJoinText', () => {
  const table: readonly { readonly name: string; readonly text: string; readonly form: string }[] = [
    { name: 'a plain text stays', text: 'Fix the tests', form: 'Fix the tests' },
    { name: 'composes', text: 'Cafe\u0301', form: 'Caf\u00e9' },
    { name: 'composes Hangul', text: '\u1112\u1161\u11ab', form: '한' },
    { name: 'keeps what only looks alike', text: 'ﬁx ①', form: 'ﬁx ①' },
    { name: 'writes line ends as \\n', text: 'a\r\nb\nc', form: 'a\nb\nc' },
    { name: 'keeps a lone \\r', text: 'a\rb', form: 'a\rb' },
    { name: 'drops white space at the end', text: 'a \t\r\n\u00a0\u3000\n', form: 'a' },
    { name: 'keeps white space at the start', text: '\n  a', form: '\n  a' },
    { name: 'keeps a lone surrogate', text: 'a\ud83d', form: 'a\ud83d' },
    { name: 'nothing is left of white space', text: ' \n', form: '' },
  ]
  test.each([...table])('$name', ({ text, form }) => {
    expect(buildJoinText('prompt', text)).toBe(form)
  })

  test('cuts prompts at 1,000 code points, results and answers at 4,000', () => {
    const text = '🙂'.repeat(5000)
    const lengths = (['prompt', 'result', 'answer'] as const).map(
      kind => [...buildJoinText(kind, text)].length,
    )
    expect(lengths).toEqual([1000, 4000, 4000])
  })

  test('handles a cut between \\r and \\n, or in white space', () => {
    expect(buildJoinText('prompt', `${'a'.repeat(999)}\r\nb`)).toBe('a'.repeat(999))
    expect(buildJoinText('prompt', `${'a'.repeat(998)}  b`)).toBe('a'.repeat(998))
  })

  // Shown to fail with the text put into its form before it is cut: a `\r\n` or a composed letter then moves the cut.
  test('a text and its stored, truncated copy have the same join text', () => {
    const letters = fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\r\n',
      'e\u0301',
      '\u0958',
      '한',
      '🙂',
      '\ud83d',
      '\u1112',
    )
    const text = fc.array(letters, { minLength: 900, maxLength: 1200 }).map(list => list.join(''))
    fc.assert(
      fc.property(text, sent => {
        const stored = cutText(sent, truncationLimits.prompt)
        expect(buildJoinText('prompt', stored)).toBe(buildJoinText('prompt', sent))
      }),
      { numRuns: 200 },
    )
  })

  test('building it twice changes nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<JoinTextKind>('prompt', 'result', 'answer'),
        fc.string({ unit: 'binary', maxLength: 300 }),
        (kind, text) => {
          const form = buildJoinText(kind, text)
          expect(buildJoinText(kind, form)).toBe(form)
        },
      ),
    )
  })
})
