// Streams that do not begin, do not end, end too early, or contain something else in between.
import { evented, streamed } from '../families.ts'
import { framePieces, sendPieces, splitPieces, typeOf } from '../reshape.ts'
import {
  type Fault,
  type Faults,
  fault,
  type GoodReply,
  leakyMessage,
  repeat,
  type Script,
  type Step,
  sendChunked,
} from '../script.ts'

const stream = (
  does: string,
  play: Fault['play'],
  bites = streamed,
  more: Pick<Fault, 'endless'> = {},
): Fault => fault(does, bites, play, more)
/** Changes each framed piece of a stream of events. */
const pieces = (does: string, change: (piece: string) => Step | Step[]): Fault =>
  stream(does, good => chunked(good, framed(good).flatMap(change)), evented)
const flood = { endless: 'flood' } as const
const chunked = (good: GoodReply, steps: Iterable<Step>) => sendChunked(steps, typeOf(good.family))
const framed = (good: GoodReply, withEnd = true) => framePieces(good.family, splitPieces(good), withEnd)

/** Inserts something after the first piece. The rest follows. */
const interrupt = (good: GoodReply, piece: string): Script => {
  const [first = '{}', ...rest] = splitPieces(good)
  return sendPieces(good.family, [first, piece, ...rest])
}
const errorPiece = JSON.stringify({ error: { code: 503, message: leakyMessage, status: 'UNAVAILABLE' } })

function* drip(bytes: Uint8Array, size: number, pauseMs: number): Generator<Step> {
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, start + size)
    yield { pauseMs }
  }
}

const finish = /"(?:finish_?[rR]eason|stop_reason)":\s*"/

/** The pieces before the one that carries the finish reason. */
const withoutFinish = (good: GoodReply) => splitPieces(good).filter(piece => !finish.test(piece))

export const streamFaults: Faults = {
  'stream-empty': stream('ends at once', good => chunked(good, [])),
  'stream-only-done': stream('only its end', good => chunked(good, ['data: [DONE]\n\n']), evented),
  'stream-no-finish': stream('ends without a finish reason', good =>
    sendPieces(good.family, withoutFinish(good)),
  ),
  'stream-no-done': stream('ends without its last mark', good => chunked(good, framed(good, false))),
  'stream-error-object': stream('an error in the middle', good => interrupt(good, errorPiece)),
  'stream-error-array': stream('an error in a list in the middle', good =>
    interrupt(good, `[${errorPiece}]`),
  ),
  'stream-error-text': stream('an error that is a text', good =>
    interrupt(good, JSON.stringify({ error: leakyMessage })),
  ),
  'stream-error-event': stream(
    'an event of type error',
    good => {
      const [first = '', ...rest] = framed(good)
      return chunked(good, [first, `event: error\ndata: ${errorPiece}\n\n`, ...rest])
    },
    evented,
  ),
  'stream-null-piece': stream('null in the middle', good => interrupt(good, 'null')),
  'stream-text-piece': stream('a text in the middle', good => interrupt(good, '"hello"')),
  'stream-no-json': stream('a piece that is not JSON', good => interrupt(good, '{"candidates": [')),
  'stream-deep-piece': stream('a piece nested 100,000 deep', good =>
    interrupt(good, `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  ),
  'stream-done-midway': stream(
    'its last mark in the middle',
    good => {
      const [first = '', ...rest] = framed(good)
      return chunked(good, [first, 'data: [DONE]\n\n', ...rest])
    },
    evented,
  ),
  'stream-two-finishes': stream('two finish reasons', good => {
    const pieces = splitPieces(good)
    const last = pieces.findLast(piece => finish.test(piece)) ?? '{}'
    return sendPieces(good.family, [...pieces, last])
  }),
  'stream-goes-on': stream('text after the finish reason', good => {
    const pieces = splitPieces(good)
    return sendPieces(good.family, [...pieces, ...pieces])
  }),
  'stream-crlf-split': pieces('line ends cut between packets', piece => [
    `${piece.trimEnd()}\r`,
    { pauseMs: 5 },
    '\n\r',
    { pauseMs: 5 },
    '\n',
  ]),
  'stream-lone-cr': pieces('lines that end with CR alone', piece => piece.replaceAll('\n', '\r')),
  'stream-no-space': pieces('data lines without the space', piece => piece.replace('data: ', 'data:')),
  'stream-many-lines': pieces('each piece over several data lines', piece => piece.replace('{', '{\ndata: ')),
  'stream-comments': pieces('comments between all pieces', piece => [': still here\n\n', piece]),
  'stream-utf8-cut': stream('packets that end inside characters', good =>
    chunked(good, drip(Buffer.from(framed(good).join('').replaceAll('You', 'Yöü–𝄞')), 3, 0)),
  ),
  'stream-reset': stream('resets after the first piece', good =>
    chunked(good, [framed(good)[0] ?? '', { pauseMs: 20 }, 'reset']),
  ),
  'stream-close': stream('closes after the first piece', good =>
    chunked(good, [framed(good)[0] ?? '', { pauseMs: 20 }, 'close']),
  ),
  'stream-large-piece': stream('a piece of 8 MB', good => {
    const [first = '{}', ...rest] = splitPieces(good)
    return sendPieces(good.family, [first.replace(/\}$/, `,"filler":"${'x'.repeat(8 << 20)}"}`), ...rest])
  }),
  'stream-slow': stream('a piece every 100 ms', good =>
    chunked(
      good,
      framed(good).flatMap(piece => [piece, { pauseMs: 100 }]),
    ),
  ),
  'stream-drip': stream(
    'seven bytes per second',
    good => chunked(good, drip(Buffer.from(framed(good).join('')), 7, 1000)),
    streamed,
    { endless: 'silent' },
  ),
  'stream-open-after-finish': stream(
    'never ends after its finish reason',
    good => chunked(good, [...framed(good, false), 'hold']),
    streamed,
    { endless: 'silent' },
  ),
  'stream-no-newline': stream(
    'one line that never ends',
    good =>
      chunked(
        good,
        appendEndless('data: {"candidates":[{"content":{"parts":[{"text":"', 'x'.repeat(1 << 16)),
      ),
    streamed,
    flood,
  ),
  'stream-endless-comments': stream(
    'endless comments',
    good => chunked(good, repeat(': still here\n\n'.repeat(1000))),
    evented,
    flood,
  ),
  'stream-endless-pieces': stream(
    'endless pieces',
    good =>
      chunked(
        good,
        repeat(framePieces(good.family, withoutFinish(good).slice(0, 1), false).join('').repeat(20)),
      ),
    streamed,
    flood,
  ),
  'stream-overloaded': stream(
    'an error of an overloaded vendor in the middle',
    good => {
      const [first = '', ...rest] = framed(good)
      const error = { type: 'overloaded_error', message: leakyMessage }
      return chunked(good, [
        first,
        `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`,
        ...rest,
      ])
    },
    ['anthropicStream'],
  ),
  'stream-no-start': stream(
    'blocks without the start of a message',
    good => chunked(good, framed(good).slice(1)),
    ['anthropicStream'],
  ),
  'stream-start-twice': stream(
    'two starts of a message',
    good => chunked(good, [...framed(good).slice(0, 2), ...framed(good)]),
    ['anthropicStream'],
  ),
  'stream-block-wrong': stream(
    'pieces of a block that never began',
    good =>
      sendPieces(
        good.family,
        splitPieces(good).map(piece => piece.replace(/"index":\d+/, '"index":7000000000')),
      ),
    ['anthropicStream'],
  ),
  'stream-delta-unknown': stream(
    'pieces of an unknown kind',
    good =>
      sendPieces(
        good.family,
        splitPieces(good).map(piece => piece.replaceAll('_delta"', '_hologram"')),
      ),
    ['anthropicStream'],
  ),
  'stream-no-stop': stream(
    'blocks that never stop',
    good =>
      sendPieces(
        good.family,
        splitPieces(good).filter(piece => !piece.includes('"content_block_stop"')),
      ),
    ['anthropicStream'],
  ),
  'stream-endless-pings': stream(
    'endless pings',
    good => chunked(good, repeat('event: ping\ndata: {"type": "ping"}\n\n'.repeat(1000))),
    ['anthropicStream'],
    flood,
  ),
  'stream-huge-piece': stream('a piece of 100 MB', good => chunked(good, hugePiece()), evented, flood),
}

function* appendEndless(head: string, piece: string): Generator<Step> {
  yield head
  yield* repeat(piece)
}

function* hugePiece(): Generator<Step> {
  yield 'data: {"filler":"'
  const piece = 'x'.repeat(1 << 20)
  for (let sent = 0; sent < 100; sent += 1) yield piece
  yield '"}\n\n'
}
