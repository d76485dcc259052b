// Nothing that controls a terminal gets through, and nothing that people write is changed.
import { expect, test } from 'bun:test'
import { showJson, showLine, showText } from './show-hidden.ts'

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

const steering = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  0xad,
  0x061c,
  ...range(0x200b, 0x200f),
  ...range(0x2028, 0x202e),
  ...range(0x2060, 0x206f),
  0xfeff,
  ...range(0xfff9, 0xfffb),
  ...range(0xe0000, 0xe007f),
  0xd800,
  0xdfff,
]

// Shown to fail with `\p{Cc}` alone, which the CLI's tables once used.
test('control, bidirectional, zero-width and tag characters, separators and lone surrogates are escaped', () => {
  for (const code of steering) {
    const character = String.fromCodePoint(code)
    expect(showLine(`a${character}b`)).toBe(`a\\u{${code.toString(16)}}b`)
    expect(showText(`a${character}b`)).toBe(code === 0x0a ? 'a\nb' : `a\\u{${code.toString(16)}}b`)
    const json = JSON.stringify([character])
    expect(showJson(json)).toMatch(/^\["[\x20-\x7e]+"\]$/)
    expect(JSON.parse(showJson(json))).toEqual([character])
  }
})

test('letters, combining marks, wide characters and emoji stay', () => {
  for (const text of [
    'Ada',
    'José',
    'Jose\u0301',
    '東京　チーム',
    'שלום',
    'नमस्ते',
    '🛡️ red',
    '👍🏽',
    '🇯🇵',
    '❤️',
    'a\\b',
  ])
    expect([showLine(text), showText(text)]).toEqual([text, text])
})

test('a variation selector on a letter is escaped', () => {
  expect(showLine('a\ufe0f')).toBe('a\\u{fe0f}')
})

test('multi-line JSON keeps its layout', () => {
  const json = JSON.stringify({ name: 'Ada\u202e', list: [1] }, null, 2)
  expect(showJson(json)).toBe('{\n  "name": "Ada\\u202e",\n  "list": [\n    1\n  ]\n}')
})
