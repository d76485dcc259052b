// What a terminal gets: widths, broken lines, colours, guesses, pagers.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { highlightPage } from '../verbs/run-command.ts'
import { displayWidth, fitText, padText, wrapText } from './display-width.ts'
import { paintLine } from './paint.ts'
import { readScreen, type Screen } from './screen.ts'
import { choosePager } from './show-page.ts'
import { suggestWord } from './suggest.ts'

describe('width', () => {
  test.each([
    ['plain', 5],
    ['한국어', 6],
    ['日本', 4],
    ['é', 1],
    ['🎉', 2],
    ['', 0],
  ])('%s', (text, width) => expect(displayWidth(text)).toBe(width))

  test('a text that is cut fits, even with letters of two columns', () => {
    expect(fitText('한국어 문장', 6)).toBe('한국…')
    expect(fitText('short', 5)).toBe('short')
    expect(padText('한', 4)).toBe('한  ')
  })

  test('broken lines fit and lose no word', () => {
    const words = fc.array(
      fc.string({ unit: fc.constantFrom('a', 'b', '語', '🎉'), minLength: 1, maxLength: 30 }),
    )
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 25 }), (parts, width) => {
        const lines = wrapText(parts.join(' '), width)
        expect(lines.every(line => displayWidth(line) <= width)).toBe(true)
        expect(lines.join('').replaceAll(' ', '')).toBe(parts.join(''))
      }),
    )
  })
})

test('a long line is broken under its last column; differences between files are not', () => {
  const lines = highlightPage('ok       origin    one two three four five six\n', 39, false)
  expect(lines.map(line => paintLine(line, false))).toEqual([
    'ok       origin    one two three four',
    '                   five six',
  ])
  const difference = `+${'a b '.repeat(30)}`
  expect(highlightPage(difference, 40, true)).toHaveLength(1)
})

test('only our own colours are printed: texts by others cannot add any', () => {
  const [line = []] = highlightPage('failed   \u001b[31mx\u202e', 80, false)
  expect(paintLine(line, true)).toBe('\u001b[31mfailed\u001b[39m   \\u{1b}[31mx\\u{202e}')
  expect(paintLine(line, false)).toBe('failed   \\u{1b}[31mx\\u{202e}')
})

describe('screen', () => {
  const terminal = { isTTY: true, columns: 120, rows: 40 }
  test.each([
    [terminal, {}, { isTerminal: true, hasColor: true, width: 120, height: 40 }],
    [terminal, { NO_COLOR: '1' }, { isTerminal: true, hasColor: false, width: 120, height: 40 }],
    [terminal, { NO_COLOR: '' }, { isTerminal: true, hasColor: true, width: 120, height: 40 }],
    [terminal, { TERM: 'dumb' }, { isTerminal: true, hasColor: false, width: 120, height: 40 }],
    [{ isTTY: true, columns: 0, rows: 0 }, {}, { isTerminal: true, hasColor: true, width: 80, height: 24 }],
    [{}, {}, { isTerminal: false, hasColor: false, width: 80, height: 24 }],
  ])('%j %j', (stream, environment, screen) => expect(readScreen(stream, environment)).toEqual(screen))
})

describe('pager', () => {
  const screen: Screen = { isTerminal: true, hasColor: true, width: 80, height: 3 }
  const long = 'a\nb\nc\nd\n'
  test.each([
    ['a long page', long, screen, {}, 'less'],
    ['the reader has a pager', long, screen, { PAGER: 'most -s' }, 'most -s'],
    ['no pager is wanted', long, screen, { PAGER: '' }, null],
    ['nor cat', long, screen, { PAGER: 'cat' }, null],
    ['a short page', 'a\nb\n', screen, {}, null],
    ['no terminal', long, { ...screen, isTerminal: false }, { PAGER: 'most' }, null],
    ['a terminal that cannot go back', long, screen, { TERM: 'dumb' }, null],
    ['Windows', long, screen, { OS: 'Windows_NT' }, null],
  ])('%s', (_, text, shown, environment, pager) => expect(choosePager(text, shown, environment)).toBe(pager))
})

test.each([
  ['sned', 'send'],
  ['stat', 'status'],
  ['logz', 'logs'],
  ['LOGS', 'logs'],
  ['bogus', null],
  ['x', null],
])('%s means %s', (given, meant) => {
  expect(suggestWord(given, ['init', 'push', 'send', 'status', 'verify', 'logs'])).toBe(meant)
})
