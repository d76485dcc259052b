// Bodies that are framed, encoded or cut wrongly, or that are far too large, too deep or too slow.
import { gzipSync } from 'node:zlib'
import { answered, type Family, paid, written } from '../families.ts'
import { reshape } from '../reshape.ts'
import {
  type Fault,
  type Faults,
  frameChunk,
  type GoodReply,
  inflating,
  jsonType,
  lastChunk,
  nest,
  repeat,
  type Script,
  sendChunked,
  sendWhole,
  writeHead,
} from '../script.ts'

const framed: readonly Family[] = [...paid, 'count', 'poll', 'file', 'storage']
const json: readonly Family[] = [...written, 'count', 'order', 'poll']

const fault = (does: string, bites: readonly Family[], play: (good: GoodReply) => Script): Fault => ({
  does,
  bites,
  play,
})
const silent = (does: string, bites: readonly Family[], play: (good: GoodReply) => Script): Fault => ({
  ...fault(does, bites, play),
  endless: 'silent',
})
const flood = (does: string, bites: readonly Family[], play: (good: GoodReply) => Script): Fault => ({
  ...fault(does, bites, play),
  endless: 'flood',
})

/** A head with any `content-length`. */
const measured = (good: GoodReply, length: string) =>
  writeHead(200, { 'content-type': good.type, 'content-length': length })

/** Puts text before the last bracket of the reply. */
const insert = (good: GoodReply, text: string): string =>
  Buffer.from(good.bytes)
    .toString()
    .replace(/\}\s*$/, `${text}}`)

const half = ({ bytes }: GoodReply) => bytes.subarray(0, Math.ceil(bytes.length / 2))

export const bodyFaults: Faults = {
  'gzip-unasked': fault('compressed although nobody asked', framed, good =>
    sendWhole(200, gzipSync(good.bytes), good.type, { 'content-encoding': 'gzip' }),
  ),
  'gzip-bomb': fault('64 kB that inflate to 64 MB', framed, good =>
    sendWhole(200, inflating(), good.type, { 'content-encoding': 'gzip' }),
  ),
  'gzip-lie': fault('said to be compressed and is not', framed, good =>
    sendWhole(200, good.bytes, good.type, { 'content-encoding': 'gzip' }),
  ),
  'encoding-unknown': fault('an encoding that nobody knows', framed, good =>
    sendWhole(200, good.bytes, good.type, { 'content-encoding': 'rot13' }),
  ),
  'length-too-long': fault('closes before its length is reached', framed, good => [
    measured(good, String(good.bytes.length + 100)),
    good.bytes,
    'close',
  ]),
  'length-too-short': fault('more bytes than its length', framed, good => [
    measured(good, String(Math.max(1, good.bytes.length - 10))),
    good.bytes,
    'close',
  ]),
  'length-negative': fault('a length below zero', framed, good => [
    measured(good, '-1'),
    good.bytes,
    'close',
  ]),
  'length-huge': fault('a length of a petabyte', framed, good => [
    measured(good, String(2 ** 50)),
    good.bytes,
    'close',
  ]),
  'length-twice': fault('two lengths that differ', framed, good => [
    `HTTP/1.1 200 OK\r\ncontent-type: ${good.type}\r\ncontent-length: ${good.bytes.length}\r\ncontent-length: 5\r\n\r\n`,
    good.bytes,
    'close',
  ]),
  'length-and-chunked': fault('a length and chunks', framed, good => [
    writeHead(200, { 'content-type': good.type, 'content-length': '5', 'transfer-encoding': 'chunked' }),
    frameChunk(good.bytes),
    lastChunk,
    'close',
  ]),
  'no-length': fault('neither a length nor chunks: ends with the connection', framed, good => [
    writeHead(200, { 'content-type': good.type, connection: 'close' }),
    good.bytes,
    'close',
  ]),
  'open-after-answer': silent('a whole answer, and the connection stays open', framed, good => [
    writeHead(200, { 'content-type': good.type, 'transfer-encoding': 'chunked' }),
    frameChunk(good.bytes),
    'hold',
  ]),
  'chunk-broken': fault('a chunk whose size is not a number', framed, good => [
    writeHead(200, { 'content-type': good.type, 'transfer-encoding': 'chunked' }),
    frameChunk(half(good)),
    'zz\r\nnothing\r\n',
    'close',
  ]),
  'chunk-huge': fault('a chunk of 2^60 bytes', framed, good => [
    writeHead(200, { 'content-type': good.type, 'transfer-encoding': 'chunked' }),
    frameChunk(half(good)),
    '1000000000000000\r\nx',
    'close',
  ]),
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
  'cut-in-half': fault('half of the body, whole by its length', framed, good =>
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
  'invalid-utf8': fault('bytes that are not UTF-8', [...json, 'stream', 'openaiStream'], good =>
    sendWhole(
      200,
      Buffer.concat([half(good), Buffer.from([0xff, 0xc3, 0x28]), good.bytes.subarray(half(good).length)]),
      good.type,
    ),
  ),
  'byte-order-mark': fault('a byte order mark first', [...json, 'stream', 'openaiStream'], good =>
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
  'wrong-type': fault('JSON that calls itself an image', framed, good =>
    sendWhole(200, good.bytes, 'image/png'),
  ),
  'no-type': fault('no content type', framed, good => [
    writeHead(200, { 'content-length': String(good.bytes.length) }),
    good.bytes,
  ]),
  'deep-nesting': fault('a member nested 100,000 deep', json, good =>
    sendWhole(200, insert(good, `,"deep":${nest(100_000)}`)),
  ),
  'huge-numbers': fault('numbers far out of range', json, good =>
    sendWhole(200, insert(good, `,"big":1e400,"long":${'9'.repeat(10_000)},"createTime":1e308`)),
  ),
  'members-twice': fault('duplicate members', json, good =>
    sendWhole(200, insert(good, ',"modelVersion":{},"responseId":[],"id":null,"object":7')),
  ),
  'prototype-members': fault('members that aim at prototypes', json, good =>
    sendWhole(
      200,
      insert(good, ',"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}'),
    ),
  ),
  'many-members': fault('20,000 members', json, good =>
    sendWhole(
      200,
      insert(good, Array.from({ length: 20_000 }, (_, index) => `,"m${index}":${index}`).join('')),
    ),
  ),
  'lone-surrogates': fault(
    'halves of characters in texts',
    json,
    reshape(
      value =>
        JSON.parse(JSON.stringify(value).replaceAll(/"text":"/g, '"text":"\\ud800 \\udfff ')) as unknown,
    ),
  ),
  'endless-spaces': flood('spaces for ever', answered, () =>
    sendChunked(repeat(' '.repeat(1 << 16)), jsonType),
  ),
  'endless-body': flood('a text that never ends', answered, function* () {
    yield writeHead(200, { 'content-type': jsonType, 'transfer-encoding': 'chunked' })
    yield frameChunk('{"candidates":[{"content":{"parts":[{"text":"')
    yield* repeat(frameChunk('x'.repeat(1 << 16)))
  }),
  trickle: silent('one byte a second', framed, function* (good) {
    yield measured(good, String(good.bytes.length))
    for (const byte of good.bytes) {
      yield Uint8Array.of(byte)
      yield { pauseMs: 1000 }
    }
  }),
}
