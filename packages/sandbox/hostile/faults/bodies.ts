// Bodies that are wrongly framed, encoded or cut, or far too large, too deep or too slow.
import { gzipSync } from 'node:zlib'
import { answered, counted, evented, type Family, paid, written } from '../families.ts'
import { reshape } from '../reshape.ts'
import {
  type Fault,
  type Faults,
  fault,
  frameChunk,
  type GoodReply,
  inflating,
  jsonType,
  lastChunk,
  nest,
  repeat,
  type Script,
  type Step,
  sendChunked,
  sendWhole,
  writeHead,
} from '../script.ts'

const framed: readonly Family[] = [...paid, ...counted, 'poll', 'file', 'storage']
const json: readonly Family[] = [...written, ...counted, 'order', 'poll']

/** A head with any `content-length`. */
const measured = (good: GoodReply, length: string) =>
  writeHead(200, { 'content-type': good.type, 'content-length': length })

/** Puts text before the last bracket of the reply. */
const insert = (good: GoodReply, text: string): string =>
  Buffer.from(good.bytes)
    .toString()
    .replace(/\}\s*$/, `${text}}`)

const compressed = (does: string, encoding: string, bytes = (good: GoodReply) => good.bytes): Fault =>
  fault(does, framed, good => sendWhole(200, bytes(good), good.type, { 'content-encoding': encoding }))
const misjudged = (does: string, length: (whole: number) => number): Fault =>
  fault(does, framed, good => [measured(good, String(length(good.bytes.length))), good.bytes, 'close'])
const inserted = (does: string, text: string): Fault =>
  fault(does, json, good => sendWhole(200, insert(good, text)))
/** The head, then these steps. */
const opened = (
  good: GoodReply,
  framing: Readonly<Record<string, string>>,
  ...steps: readonly Step[]
): Script => [writeHead(200, { 'content-type': good.type, ...framing }), ...steps]
const inChunks = { 'transfer-encoding': 'chunked' }

const flood = { endless: 'flood' } as const

const half = ({ bytes }: GoodReply) => bytes.subarray(0, Math.ceil(bytes.length / 2))

export const bodyFaults: Faults = {
  'gzip-unasked': compressed('compressed without being asked', 'gzip', good => gzipSync(good.bytes)),
  'gzip-bomb': compressed('64 kB that inflate to 64 MB', 'gzip', inflating),
  'gzip-lie': compressed('labelled as compressed but is not', 'gzip'),
  'encoding-unknown': compressed('an unknown encoding', 'rot13'),
  'length-too-long': misjudged('closes before its full length', whole => whole + 100),
  'length-too-short': misjudged('more bytes than its length', whole => Math.max(1, whole - 10)),
  'length-negative': misjudged('a negative length', () => -1),
  'length-huge': misjudged('a length of a petabyte', () => 2 ** 50),
  'length-twice': fault('two different lengths', framed, good => [
    `HTTP/1.1 200 OK\r\ncontent-type: ${good.type}\r\ncontent-length: ${good.bytes.length}\r\ncontent-length: 5\r\n\r\n`,
    good.bytes,
    'close',
  ]),
  'length-and-chunked': fault('a length and chunks', framed, good =>
    opened(good, { 'content-length': '5', ...inChunks }, frameChunk(good.bytes), lastChunk, 'close'),
  ),
  'no-length': fault('neither a length nor chunks: ends with the connection', framed, good =>
    opened(good, { connection: 'close' }, good.bytes, 'close'),
  ),
  'open-after-answer': fault(
    'a complete answer, but the connection stays open',
    framed,
    good => opened(good, inChunks, frameChunk(good.bytes), 'hold'),
    { endless: 'silent' },
  ),
  'chunk-broken': fault('a chunk with a size that is not a number', framed, good =>
    opened(good, inChunks, frameChunk(half(good)), 'zz\r\nnothing\r\n', 'close'),
  ),
  'chunk-huge': fault('a chunk of 2^60 bytes', framed, good =>
    opened(good, inChunks, frameChunk(half(good)), '1000000000000000\r\nx', 'close'),
  ),
  'chunks-of-one': fault('a chunk for each of the last thousand bytes', framed, good => {
    const rest = good.bytes.subarray(-1000)
    return sendChunked(
      [
        good.bytes.subarray(0, good.bytes.length - rest.length),
        ...Array.from(rest, byte => Uint8Array.of(byte)),
      ],
      good.type,
    )
  }),
  'cut-in-half': fault('half of the body with a matching length', framed, good =>
    sendWhole(200, half(good), good.type),
  ),
  'closes-midway': fault('closes in the middle', framed, good => [
    measured(good, String(good.bytes.length)),
    half(good),
    'close',
  ]),
  'resets-midway': fault('resets in the middle', framed, good => [
    measured(good, String(good.bytes.length)),
    half(good),
    { pauseMs: 20 },
    'reset',
  ]),
  'invalid-utf8': fault('bytes that are not UTF-8', [...json, ...evented], good =>
    sendWhole(
      200,
      Buffer.concat([half(good), Buffer.from([0xff, 0xc3, 0x28]), good.bytes.subarray(half(good).length)]),
      good.type,
    ),
  ),
  'byte-order-mark': fault('a byte order mark first', [...json, ...evented], good =>
    sendWhole(200, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), good.bytes]), good.type),
  ),
  'utf-16': fault('UTF-16', json, good =>
    sendWhole(
      200,
      Buffer.from(Buffer.from(good.bytes).toString(), 'utf16le'),
      'application/json; charset=utf-16',
    ),
  ),
  'nul-bytes': fault('NUL after the body', json, good =>
    sendWhole(200, Buffer.concat([good.bytes, new Uint8Array(100)]), good.type),
  ),
  'trailing-text': fault('text after the body', json, good =>
    sendWhole(200, Buffer.concat([good.bytes, Buffer.from('\n{"second":true}')]), good.type),
  ),
  'wrong-type': fault('JSON labelled as an image', framed, good => sendWhole(200, good.bytes, 'image/png')),
  'no-type': fault('no content type', framed, good => [
    writeHead(200, { 'content-length': String(good.bytes.length) }),
    good.bytes,
  ]),
  'deep-nesting': inserted('a member nested 100,000 deep', `,"deep":${nest(100_000)}`),
  'huge-numbers': inserted(
    'numbers far out of range',
    `,"big":1e400,"long":${'9'.repeat(10_000)},"createTime":1e308`,
  ),
  'members-twice': inserted('duplicate members', ',"modelVersion":{},"responseId":[],"id":null,"object":7'),
  'prototype-members': inserted(
    'members that target prototypes',
    ',"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}',
  ),
  'many-members': inserted(
    '20,000 members',
    Array.from({ length: 20_000 }, (_, index) => `,"m${index}":${index}`).join(''),
  ),
  'lone-surrogates': fault(
    'half characters in texts',
    json,
    reshape(
      value =>
        JSON.parse(JSON.stringify(value).replaceAll(/"text":"/g, '"text":"\\ud800 \\udfff ')) as unknown,
    ),
  ),
  'endless-spaces': fault(
    'endless spaces',
    answered,
    () => sendChunked(repeat(' '.repeat(1 << 16)), jsonType),
    flood,
  ),
  'endless-body': fault(
    'a text that never ends',
    answered,
    function* () {
      yield writeHead(200, { 'content-type': jsonType, 'transfer-encoding': 'chunked' })
      yield frameChunk('{"candidates":[{"content":{"parts":[{"text":"')
      yield* repeat(frameChunk('x'.repeat(1 << 16)))
    },
    flood,
  ),
  trickle: fault(
    'one byte per second',
    framed,
    function* (good) {
      yield measured(good, String(good.bytes.length))
      for (const byte of good.bytes) {
        yield Uint8Array.of(byte)
        yield { pauseMs: 1000 }
      }
    },
    { endless: 'silent' },
  ),
}
