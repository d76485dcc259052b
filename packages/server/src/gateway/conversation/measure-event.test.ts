// Checks the usage counted for a stream that is cut before it reports any.
import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../upstream/port.ts'
import { measureEvent } from './answer-pieces.ts'

const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } } as const
const rows: readonly [ChatEvent, number][] = [
  [{ type: 'text-delta', text: 'abc' }, 3],
  [{ type: 'reasoning-delta', text: 'ab' }, 2],
  [{ type: 'tool-call', call }, 5],
  [{ type: 'progress', characters: 7 }, 7],
  [{ type: 'tool-call', call, isMeasured: true }, 0],
  [{ type: 'image', image: { mimeType: 'image/png', base64: 'UE5H' } }, 10_080],
  // One second of speech is 25 tokens.
  [{ type: 'audio-delta', audio: { mimeType: 'audio/L16', base64: 'A'.repeat(64_000) } }, 100],
  [{ type: 'signature', signature: 'c2ln' }, 0],
  [{ type: 'finish', reason: 'stop' }, 0],
]

test.each(rows)('%j', (event, characters) => {
  expect(measureEvent(event)).toBe(characters)
})
