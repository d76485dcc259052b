// Transcripts with lines of megabytes: what is found, and how much must be read for it.
import { expect, test } from 'bun:test'
import { openText } from './testing/open-text.ts'
import { createTranscripts } from './transcripts.ts'

const megabyte = 1024 * 1024
const output = (megabytes: number) =>
  `${JSON.stringify({ type: 'output', text: 'x'.repeat(megabytes * megabyte) })}\n`
const answer = (text: string) => `${JSON.stringify({ type: 'answer', text })}\n`
const marks = ['"answer"']

/** Counts the bytes that it reads. */
function open(text: string) {
  const count = { bytes: 0 }
  const file = openText(text)
  const read = (at: number, length: number) => {
    count.bytes += length
    return file.read(at, length)
  }
  const transcripts = createTranscripts((_path, use) => use({ ...file, read }))
  const readBack = () => transcripts.readBack('/t', marks, () => true)
  return { count, transcripts, readBack, size: file.size }
}

test('backwards: no more than it takes to find an answer, and never more than 4 MiB', () => {
  const near = open(output(20) + answer('near'))
  expect(near.readBack()).toEqual({ lines: [{ type: 'answer', text: 'near' }], isWhole: false })
  expect(near.count.bytes).toBe(64 * 1024)
  const behind = open(output(20) + answer('behind') + output(3))
  expect(behind.readBack()).toEqual({ lines: [{ type: 'answer', text: 'behind' }], isWhole: false })
  const far = open(answer('far') + output(5))
  expect(far.readBack()).toEqual({ lines: [], isWhole: false })
  expect(far.count.bytes).toBe(4 * megabyte)
})

test('backwards: a line at the edge of a piece is whole, and the order is that of the file', () => {
  for (let length = 64 * 1024 - 120; length < 64 * 1024 + 20; length += 1) {
    const text = `${answer('first')}${answer('second')}${'x'.repeat(length)}\n`
    const all = open(text).transcripts.readBack('/t', marks, ({ text }) => text === 'first')
    expect(all.lines.map(line => line.text)).toEqual(['first', 'second'])
    expect(all.isWhole).toBe(true)
  }
})

test('forwards: each byte once for any lines, and none after the last whole line', () => {
  const text =
    [answer('one'), output(3), answer('two'), output(9), answer('three'), output(2)].join('') +
    '{"type":"answer","text":"still being wri'
  const { count, transcripts, size } = open(text)
  const found: unknown[] = []
  let next = 0
  for (let isEnd = false; !isEnd; ) {
    const part = transcripts.readOn('/t', next, marks)
    found.push(...part.lines.map(line => line.text))
    ;({ next, isEnd } = part)
  }
  expect(found).toEqual(['one', 'two', 'three'])
  expect(text.slice(next)).toStartWith('{"type":"answer","text":"still')
  // The next part starts with the line in which this one ends.
  expect(count.bytes).toBeLessThan(size + 4 * megabyte)
})

test('an answer in letters of several bytes is not broken where pieces meet', () => {
  const texts = Array.from({ length: 40 }, (_, index) => `${index}${'語'.repeat(20_000)}`)
  const { transcripts } = open(texts.map(answer).join(''))
  expect(transcripts.readOn('/t', 0, marks).lines.map(line => line.text)).toEqual(texts)
})

test('a file that is not there, cannot be read or became shorter', () => {
  const gone = createTranscripts((_path, _use, absent) => absent)
  expect(gone.sizeOf('/t')).toBe(0)
  expect(gone.readBack('/t', marks, () => true)).toEqual({ lines: [], isWhole: true })
  expect(gone.readOn('/t', 7, marks)).toEqual({ lines: [], next: 7, isEnd: true })
  const { transcripts } = open(answer('new'))
  expect(transcripts.readOn('/t', 1000, marks).lines).toMatchObject([{ text: 'new' }])
  expect(createTranscripts().readTail(import.meta.dir)).toEqual([])
})
