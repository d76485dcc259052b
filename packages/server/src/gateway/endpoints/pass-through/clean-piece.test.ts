// A piece of a stream keeps its frame when its payload is replaced, in both forms of a stream.
import { expect, test } from 'bun:test'
import { ArraySplitter, EventSplitter } from '../../../upstream/split-stream.ts'
import { cleanPiece } from './stream-forms.ts'

const cleanText = (text: string) => text.replaceAll('ours', 'X')
const clean = (payload: Uint8Array) => {
  const text = Buffer.from(payload).toString()
  return text.includes('ours') ? Buffer.from(text.replaceAll('ours', 'X')) : null
}

test.each([
  ['events', 'data: {"a":"ours"}\r\n\r\ndata: {"a":1}\n\n', 'data: {"a":"X"}\r\n\r\ndata: {"a":1}\n\n'],
  ['an event in multiple lines', 'data: {"a":\ndata: "ours"}\n\n', 'data: {"a":\ndata: "X"}\r\n\r\n'],
  ['a page of a proxy', '<p>ours and ours</p>\n\n: comment\n\n', '<p>X and X</p>\n\n: comment\n\n'],
  ['an array', '[{"a":"ours"}\n,\r\n{"a":1},{"a":"ours"}]', '[{"a":"X"}\n,\r\n{"a":1},{"a":"X"}]'],
])('%s', (name, sent, shown) => {
  const splitter = name === 'an array' ? new ArraySplitter() : new EventSplitter()
  const pieces = [...splitter.push(Buffer.from(sent)), ...splitter.end()]
  expect(Buffer.concat(pieces.map(piece => cleanPiece(piece, clean, cleanText).raw)).toString()).toBe(shown)
})
