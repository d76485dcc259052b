// The shipped rules with their recorded examples, the peeling of texts that look like wrappers, and the errors for a bad file.
import { describe, expect, test } from 'bun:test'
import { peelText } from '@fairgate/contracts/logbook/join-rules.ts'
import fc from 'fast-check'
import { parseJoinRules, readJoinRules, shippedJoinRules } from './read-join-rules.ts'

const rules = readJoinRules(shippedJoinRules)

const cases = Object.entries(rules.tools).flatMap(([tool, { examples }]) =>
  examples.map(example => ({ tool, ...example })),
)

describe('the shipped rules', () => {
  test.each(cases)('$tool, $kind: $recorded', ({ tool, kind, text, peeled }) => {
    expect(peelText(rules, tool, kind, text)).toBe(peeled)
  })

  test('each of their wrappers has a recorded example that it changes', () => {
    for (const [tool, { examples, ...lists }] of Object.entries(rules.tools)) {
      for (const kind of ['prompt', 'result', 'answer'] as const) {
        for (const wrapper of lists[kind] ?? []) {
          const only = { tools: { [tool]: { [kind]: [wrapper], examples } } }
          const changed = examples.filter(
            example => example.kind === kind && peelText(only, tool, kind, example.text) !== example.text,
          )
          expect({ tool, starts: wrapper.starts, examples: changed.length }).not.toMatchObject({
            examples: 0,
          })
        }
      }
    }
  })
})

describe('peelText', () => {
  const reminder = (text: string) => `<system-reminder>${text}</system-reminder>`

  test.each([
    ['multiple wrappers before the words', `${reminder('a')}${reminder('b')}Fix it`, 'Fix it'],
    ['one that is not closed', '<system-reminder>what is this?', '<system-reminder>what is this?'],
    ['one in the middle', `Explain ${reminder('a')}`, `Explain ${reminder('a')}`],
    ['nothing but white space after it', `${reminder('a')}\n \n`, null],
    [
      'a title with its mark before the start',
      '<session>\nWrite the title in',
      '<session>\nWrite the title in',
    ],
    [
      'words that contain the end mark themselves',
      '<session>\nUse "\n</session>\n\nWrite the title in" here\n</session>\n\nWrite the title in English.',
      'Use "\n</session>\n\nWrite the title in" here',
    ],
  ])('%s', (_, text, left) => {
    expect(peelText(rules, 'claude', 'prompt', text)).toBe(left)
  })

  test('only the wrappers of the tool and of the kind apply', () => {
    expect(peelText(rules, 'codex', 'prompt', reminder('a'))).toBe(reminder('a'))
    expect(peelText(rules, 'claude', 'answer', reminder('a'))).toBe(reminder('a'))
    expect(peelText(rules, 'aider', 'prompt', reminder('a'))).toBe(reminder('a'))
    expect(peelText(rules, 'constructor', 'prompt', 'a')).toBe('a')
  })

  // Shown to fail if the peeling has no end.
  test('a text with a hundred thousand wrappers is left as it is after 64 of them', () => {
    const wrap = (count: number) => `${reminder('').repeat(count)}Fix it`
    expect(peelText(rules, 'claude', 'prompt', wrap(64))).toBe('Fix it')
    expect(peelText(rules, 'claude', 'prompt', wrap(100_000)) === wrap(100_000 - 64)).toBe(true)
  })

  test('a text without a mark is never changed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        fc.pre(!text.includes('<') && text.trim() !== '')
        for (const tool of Object.keys(rules.tools)) expect(peelText(rules, tool, 'prompt', text)).toBe(text)
      }),
    )
  })
})

describe('a bad file', () => {
  const withRule = (rule: string, peeled = 'null') => `
tools:
  claude:
    prompt:
      - ${rule}
    examples:
      - { kind: prompt, recorded: "version 1", text: "<a>b", peeled: ${peeled} }
`

  test('good rules are accepted', () => {
    expect(parseJoinRules(withRule('{ starts: "<a>" }')).tools.claude?.result).toBeUndefined()
  })

  test.each([
    [
      'a rule that contradicts its example',
      withRule('{ starts: "<b>" }'),
      /"version 1" of claude says that null is left, but it is "<a>b"/,
    ],
    ['an empty mark', withRule('{ starts: "" }'), /tools\/claude\/prompt\/0\/starts/],
    ['an unknown member', withRule('{ starts: "<a>", trough: "b" }'), /tools\/claude\/prompt\/0/],
    ['no examples', 'tools: { claude: { prompt: [{ starts: a }] } }', /tools\/claude/],
    ['nothing', '', /the whole file/],
    ['not YAML', '{', /./],
  ])('%s', (_, yaml, says) => {
    expect(() => parseJoinRules(yaml)).toThrow(says)
  })

  test('the error names the file', () => {
    expect(() => readJoinRules('/nowhere/rules.yaml')).toThrow('Cannot use /nowhere/rules.yaml: ENOENT')
  })
})
