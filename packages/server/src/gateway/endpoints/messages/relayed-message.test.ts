// A relayed stream: its bytes, the end that waits for the charge, and streams that break.
// Shown to fail by letting each event leave at once: the stop reason is then among the bytes before the charge.
import { describe, expect, test } from 'bun:test'
import { failureOf } from '../../../store/testing/failure-of.ts'
import { mapAnthropicError } from '../../../upstream/anthropic/map-anthropic-error.ts'
import { openStream } from '../../../upstream/testing/open-stream.ts'
import { RelayedMessage } from './relayed-message.ts'

const frame = (event: { readonly type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const usage = { input_tokens: 10, cache_read_input_tokens: 2, output_tokens: 1 }
const startOf = (model: string) =>
  frame({ type: 'message_start', message: { id: 'msg_1', model, of: 'tomorrow', usage } } as { type: string })
const text =
  'event: content_block_delta\ndata: {"type":"content_block_delta",  "delta":{"type":"text_delta","text":"Grüße"}}\n\n'
const end =
  'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}\n\n'
const stop = 'event: message_stop\ndata: {"type":"message_stop"}\n\n'
const overloaded = frame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as {
  type: string
})

async function open(body: string, size: number) {
  const pieces = new RelayedMessage({
    modelName: 'sonnet',
    callId: 'call-1',
    expected: { estimatedInput: 1, outputCap: 1 },
    open: async () =>
      openStream(body, size, {
        mapError: (status, said) => mapAnthropicError({ status, body: said, headers: new Headers() }, ''),
      }),
  })
  await pieces.open(AbortSignal.abort())
  return pieces
}

async function readAll(pieces: RelayedMessage): Promise<string> {
  await pieces.begin()
  const read: Uint8Array[] = []
  for (let bytes = await pieces.next(); bytes !== null; bytes = await pieces.next()) read.push(bytes)
  return Buffer.concat(read).toString()
}

describe.each([1, 50, 10_000])('read %d bytes at a time', size => {
  test('only the name of the model changes, and the end waits for the charge', async () => {
    const between = ': a comment\n\nsk-ant-key of a proxy\n\n'
    const pieces = await open(startOf('claude-5') + between + text + end + stop, size)
    // Bytes outside of events are nobody's answer, and may name the upstream's key.
    expect(await readAll(pieces)).toBe(startOf('sonnet') + text)
    expect(pieces.isWhole()).toBe(true)
    expect([pieces.text(), pieces.finishReasons()]).toEqual(['Grüße', ['end_turn']])
    expect(pieces.usages()).toEqual([
      { kind: 'reported', usage: { inputTokens: 12, cachedTokens: 2, outputTokens: 9, reasoningTokens: 0 } },
    ])
    expect(Buffer.from(pieces.end()).toString()).toBe(end + stop)
  })

  test('a message without its last event gets one, since clients would ask again', async () => {
    const pieces = await open(startOf('claude-5') + text + end, size)
    await readAll(pieces)
    expect(Buffer.from(pieces.end()).toString()).toBe(end + stop)
  })

  test('a cut stream and an error in it end as errors, after what came before', async () => {
    const cut = await open(startOf('claude-5') + text, size)
    expect(await failureOf(readAll(cut))).toBeInstanceOf(Error)
    expect(cut.isWhole()).toBe(false)
    const broken = await open(startOf('claude-5') + text + overloaded, size)
    const failure = await failureOf(readAll(broken))
    expect(failure).toMatchObject({ code: 'upstream_overloaded' })
    expect(String(broken.fail(failure, null).bytes)).toContain('"type":"overloaded_error"')
  })
})

test('an error as the first event fails before the reply has started', async () => {
  const pieces = await open(overloaded, 10_000)
  expect(await failureOf(pieces.begin())).toMatchObject({ code: 'upstream_overloaded' })
})
