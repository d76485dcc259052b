// suite: 3 s
// JSON texts inside a body may be nested as deep as the body, in every dialect: agents send back what they received.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let key: string
beforeAll(async () => {
  fairgate = await startFairgate()
  key = await fairgate.manage.team('nested', { max_budget: 1000 })
})
afterAll(() => fairgate.stop())

const nest = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const model = 'mm-2.5-flash'

async function ask(path: string, body: object): Promise<[number, string | null]> {
  const response = await fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return [response.status, /"param":"([^"]*)"/.exec(text)?.[1] ?? null]
}
const askChat = (given: string) =>
  ask('/v1/chat/completions', {
    model,
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: given } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
    ],
  })
const askResponses = (given: string) =>
  ask('/v1/responses', {
    model,
    input: [
      { role: 'user', content: 'Hi' },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: given },
      { type: 'function_call_output', call_id: 'call_1', output: 'done' },
    ],
  })

// Shown to fail on the build before: 200,000 levels were 500 at chat and Responses, since the request to the upstream could not be written.
test.each([65, 200_000])('%d levels are refused, and the refusal names the field', async levels => {
  expect(await askChat(nest(levels))).toEqual([400, 'messages[1].tool_calls[0].function.arguments'])
  expect(await askResponses(nest(levels))).toEqual([400, 'input[1].arguments'])
})

test('64 levels pass, and so does broken JSON written by a model and sent back', async () => {
  expect(await askChat(nest(64))).toEqual([200, null])
  expect(await askResponses(nest(64))).toEqual([200, null])
  expect(await askResponses('{"a":')).toEqual([200, null])
})

test('tool results and client sessions can be any text', async () => {
  const deep = nest(200_000)
  const body = {
    model,
    max_tokens: 16,
    metadata: { user_id: deep.slice(0, 5000) },
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: deep.slice(0, 5000) }],
      },
    ],
  }
  expect(await ask('/v1/messages', body)).toEqual([200, null])
})
