// Histories as agents leave them always become acceptable to upstreams: each call answered once, right after its step.
import { expect, test } from 'bun:test'
import type { ChatMessage, ToolMessage } from '@fairgate/contracts/chat/message.ts'
import fc from 'fast-check'
import { joinToolCallId } from '../../upstream/tool-call-id.ts'
import { repairHistory } from './repair-history.ts'

const user = (content: string): ChatMessage => ({ role: 'user', content })
const says = (content: string): ChatMessage => ({ role: 'assistant', content })
const calls = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map(id => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
})
const result = (id: string, content = id): ToolMessage => ({ role: 'tool', tool_call_id: id, content })
const interrupted = (id: string): ChatMessage => ({ ...result(id, 'interrupted'), is_error: true })
const signed = joinToolCallId('call_a', 'c2ln')

test.each<[string, ChatMessage[], ChatMessage[]]>([
  ['a history in order', [user('x'), calls('a', 'b'), result('a'), result('b'), says('y')], []],
  [
    'results in another order',
    [calls('a', 'b'), result('b'), result('a')],
    [calls('a', 'b'), result('a'), result('b')],
  ],
  [
    'words between a call and its result',
    [calls('a', 'b'), result('a'), user('x'), result('b'), user('y')],
    [calls('a', 'b'), result('a'), result('b'), user('x'), user('y')],
  ],
  [
    'an answer between a call and its result',
    [calls('a'), says('x'), result('a')],
    [calls('a'), says('x'), result('a')],
  ],
  [
    'the calls of a step one by one',
    [calls('a'), calls('b'), result('b'), result('a')],
    [calls('a'), calls('b'), result('a'), result('b')],
  ],
  ['a call without a result', [calls('a'), user('x')], [calls('a'), interrupted('a'), user('x')]],
  ['a call without a result at the end', [calls('a')], [calls('a'), interrupted('a')]],
  [
    'a result without the signature of its call',
    [calls(signed), result('call_a')],
    [calls(signed), result(signed, 'call_a')],
  ],
  [
    'one id in two steps, the first interrupted',
    [calls('a'), user('x'), calls('a'), result('a', '2')],
    [calls('a'), interrupted('a'), user('x'), calls('a'), result('a', '2')],
  ],
  [
    'one id twice in one step',
    [calls('a', 'a'), result('a', '1'), result('a', '2')],
    [calls('a', 'a'), result('a', '1'), result('a', '2')],
  ],
  [
    'a result without a call',
    [result('a', 'x')],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: '[Result of an earlier tool call]\n' },
          { type: 'text', text: 'x' },
        ],
      },
    ],
  ],
  [
    'a failure without a call, with an image',
    [
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [{ type: 'image_url', image_url: { url: 'u' } }],
        is_error: true,
      },
    ],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: '[Error of an earlier tool call]\n' },
          { type: 'image_url', image_url: { url: 'u' } },
        ],
      },
    ],
  ],
])('%s', (_, history, repaired) => {
  expect(repairHistory(history)).toEqual(repaired.length === 0 ? history : repaired)
})

const id = fc.constantFrom('a', 'b', 'call_a', signed)
const message = fc.oneof(
  fc.string().map(user),
  fc.string().map(says),
  fc.array(id, { minLength: 1, maxLength: 3 }).map(ids => calls(...ids)),
  fc.tuple(id, fc.string()).map(([of, content]) => result(of, content)),
)

test('for any history: each step is followed by the results of its calls, in order, and nothing is lost', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), history => {
      const repaired = repairHistory(history)
      let open: string[] = []
      for (const item of [...repaired, user('end')]) {
        if (item.role === 'assistant') {
          open.push(...(item.tool_calls ?? []).map(call => call.id))
        } else if (item.role === 'tool') {
          expect(item.tool_call_id).toBe(open.shift() ?? 'nothing is open')
        } else {
          expect(open).toEqual([])
          open = []
        }
      }
      const others = (list: readonly ChatMessage[]) => list.filter(item => item.role === 'assistant')
      expect(others(repaired)).toEqual(others(history))
      const text = JSON.stringify(repaired)
      for (const item of history) expect(text).toContain(JSON.stringify(item.content))
      expect(repairHistory(repaired)).toEqual(repaired)
    }),
  )
})
