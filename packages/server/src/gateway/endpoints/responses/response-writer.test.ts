// A streamed response keeps the order that strict clients require, however the upstream's bytes are cut, and its output comes back to
// the model part by part.
import { expect, test } from 'bun:test'
import { responsesRequestSchema } from '@fairgate/contracts/responses/request.ts'
import {
  type ResponseObject,
  responseEventSchema,
  responseSchema,
} from '@fairgate/contracts/responses/response.ts'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { validateWith } from '../../../http/validate.ts'
import { ChatEventReader } from '../../../upstream/chat-events.ts'
import { convertChatRequest } from '../../../upstream/gemini/chat/convert-chat-request.ts'
import { GeminiAnswer } from '../../../upstream/gemini/chat/streamed-answer.ts'
import type { ChatEvent } from '../../../upstream/port.ts'
import { buildChatCall } from '../../../upstream/testing/build-chat-call.ts'
import { openStream } from '../../../upstream/testing/open-stream.ts'
import type { AnswerForm } from './answer-items.ts'
import { unpackSummary } from './compaction.ts'
import { ResponseWriter } from './response-writer.ts'
import { translateRequest } from './translate-request.ts'

const validate = validateWith(responsesRequestSchema)
const eventShape = Compile(responseEventSchema)
const responseShape = Compile(responseSchema)
const { model } = buildChatCall({}, { reasoning: 'level' })

const tools = [
  { type: 'function', name: 'look', parameters: { type: 'object' } },
  { type: 'custom', name: 'write' },
  { type: 'namespace', name: 'far', tools: [{ type: 'function', name: 'look' }] },
]

type Sent = { readonly type: string; readonly [member: string]: unknown }

function open(changes: object = {}, form: Partial<AnswerForm> = {}) {
  const request = validate({ model: 'm', input: 'Hello', tools, ...changes })
  const translated = translateRequest(request, model)
  const whole: AnswerForm = {
    model,
    tools: translated.tools,
    showsReasoning: true,
    hasOneCall: false,
    isCompaction: false,
    ...form,
  }
  const writer = new ResponseWriter(request, whole, 'c1')
  writer.begin(1000)
  return writer
}

function parse(text: string): Sent[] {
  return text
    .split('\n\n')
    .filter(block => block !== '')
    .map(block => {
      const [, name, data = ''] = /^event: (\S+)\ndata: (.*)$/.exec(block) ?? []
      const sent: Sent = JSON.parse(data)
      expect(sent.type).toBe(name ?? '')
      expect(eventShape.Errors(sent)).toEqual([])
      if (sent.response !== undefined) expect(responseShape.Errors(sent.response)).toEqual([])
      return sent
    })
}

function write(events: readonly ChatEvent[], ...options: Parameters<typeof open>): Sent[] {
  const writer = open(...options)
  return parse(events.map(event => writer.write(0, event)).join('') + writer.end([], 0.5))
}

/** One letter per event; items are between `+` and `-`. */
const letters: Readonly<Record<string, string>> = {
  'response.created': 'C',
  'response.in_progress': 'P',
  'response.output_item.added': '+',
  'response.output_item.done': '-',
  'response.reasoning_summary_part.added': 'r',
  'response.reasoning_summary_text.delta': 's',
  'response.reasoning_summary_text.done': 't',
  'response.reasoning_summary_part.done': 'u',
  'response.content_part.added': 'm',
  'response.output_text.delta': 'n',
  'response.output_text.annotation.added': 'a',
  'response.output_text.done': 'o',
  'response.content_part.done': 'p',
  'response.function_call_arguments.delta': 'f',
  'response.function_call_arguments.done': 'g',
  'response.custom_tool_call_input.delta': 'x',
  'response.custom_tool_call_input.done': 'y',
  'response.completed': 'E',
  'response.incomplete': 'E',
  'response.failed': 'E',
}
const grammar = /^CP(?:\+(?:|rs+tu|mn+a*op|fg|xy)-)*E$/

/** Checks order, numbers and ids; returns the response of the last event. */
function check(sent: readonly Sent[]): ResponseObject {
  expect(sent.map(({ type }) => letters[type] ?? '?').join('')).toMatch(grammar)
  expect(sent.map(event => event.sequence_number)).toEqual(sent.map((_, index) => index))
  const done: unknown[] = []
  let openId: unknown = null
  for (const event of sent) {
    if ('output_index' in event) expect(event.output_index).toBe(done.length)
    if (event.type.endsWith('output_item.added')) openId = Object(event.item).id
    if ('item_id' in event) expect(event.item_id).toBe(openId)
    if (!event.type.endsWith('output_item.done')) continue
    expect(Object(event.item).id).toBe(openId)
    done.push(event.item)
  }
  const ids = done.map(item => Object(item).id)
  expect(new Set(ids).size).toBe(ids.length)
  const response = sent.at(-1)?.response
  expect(Object(response).output).toEqual(done)
  // Checked against its schema above.
  return response as ResponseObject
}

const signature = fc
  .uint8Array({ minLength: 1, maxLength: 30 })
  .map(bytes => Buffer.from(bytes).toString('base64'))
const signed = fc.option(signature, { nil: undefined })
const text = fc.string({ minLength: 1, maxLength: 12 })
const thought = fc.record({ text, thought: fc.constant(true) })
const said = fc.record({ text, thoughtSignature: signed })
const callOf = (name: string, args: fc.Arbitrary<object>) =>
  fc.record({ functionCall: fc.record({ name: fc.constant(name), args }), thoughtSignature: signed })
const called = fc.oneof(
  callOf('look', fc.record({ at: fc.string() })),
  callOf('write', fc.record({ input: fc.string({ minLength: 1 }).map(input => `a${input}`) })),
  callOf('far__look', fc.constant({})),
)

function encode(parts: readonly unknown[]): string {
  const chunks = parts.map(part => ({ candidates: [{ content: { role: 'model', parts: [part] } }] }))
  const last = { candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] }
  return [...chunks, last].map(chunk => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('')
}

async function relay(parts: readonly unknown[], size: number, changes: object = {}): Promise<ResponseObject> {
  const stream = openStream(encode(parts), size)
  let ids = 0
  const reader = new ChatEventReader(
    stream,
    new GeminiAnswer(stream, () => {
      ids += 1
      return `id${ids}`
    }),
  )
  const writer = open(changes)
  let bytes = ''
  for (let events = await reader.read(); events !== null; events = await reader.read())
    for (const event of events) bytes += writer.write(0, event)
  return check(parse(bytes + writer.end([], 0.5)))
}

test('any answer follows the grammar, and is the same for any split of its bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(thought, said, called), { maxLength: 8 }),
      fc.integer({ min: 1, max: 200 }),
      async (parts, size) => {
        expect(await relay(parts, size)).toEqual(await relay(parts, 1_000_000))
      },
    ),
    { numRuns: 100 },
  )
})

test('calls, their arguments and signatures return to the model as it sent them', async () => {
  const step = fc.tuple(
    fc.array(thought, { maxLength: 2 }),
    fc.option(text, { nil: null }),
    fc.array(called, { minLength: 1, maxLength: 4 }),
  )
  await fc.assert(
    fc.asyncProperty(step, async ([thoughts, words, calls]) => {
      const spoken = words === null ? [] : [{ text: words }]
      // As sent over the wire: undefined members are absent.
      const sent: unknown[] = JSON.parse(JSON.stringify([...thoughts, ...spoken, ...calls]))
      const { output } = await relay(sent, 50)
      const results = output.flatMap(item =>
        item.type === 'function_call' || item.type === 'custom_tool_call'
          ? [{ type: `${item.type}_output`, call_id: item.call_id, output: `of ${item.call_id}` }]
          : [],
      )
      const input = [{ role: 'user', content: 'Hello' }, ...output, ...results.reverse()]
      const { conversation } = translateRequest(validate({ model: 'm', input, tools }), model)
      const { contents } = convertChatRequest({ request: conversation, model, outputCap: 100 })
      const returned = contents[1]?.parts.map(part =>
        'thoughtSignature' in part && part.thoughtSignature === 'skip_thought_signature_validator'
          ? { ...part, thoughtSignature: undefined }
          : part,
      )
      expect<unknown>(JSON.parse(JSON.stringify(returned))).toEqual(
        sent.filter(part => Object(part).thought !== true),
      )
      expect(
        contents[2]?.parts.map(part => ('functionResponse' in part ? part.functionResponse.name : '')),
      ).toEqual(calls.map(({ functionCall }) => functionCall.name))
    }),
    { numRuns: 60 },
  )
})

const toolCall = (id: string, name = 'look'): ChatEvent => ({
  type: 'tool-call',
  call: { id, type: 'function', function: { name, arguments: '{"at":1}' } },
})
const stop: ChatEvent = { type: 'finish', reason: 'stop' }
const typesOf = ({ output }: ResponseObject) => output.map(({ type }) => type)

test('one call at a time, if requested', () => {
  const events = [toolCall('call_1'), toolCall('call_2'), stop]
  expect(typesOf(check(write(events, {}, { hasOneCall: true })))).toEqual(['function_call'])
})

test('reasoning that was not requested is not shown, and its signature is kept', () => {
  const events: ChatEvent[] = [{ type: 'reasoning-delta', text: 'Hm' }, toolCall('call_1__s_c2ln'), stop]
  const [reasoning] = check(write(events, {}, { showsReasoning: false })).output
  expect(reasoning).toMatchObject({ type: 'reasoning', summary: [], encrypted_content: expect.any(String) })
})

test('a signature at the end of a text comes after it', () => {
  const events: ChatEvent[] = [
    { type: 'text-delta', text: 'Hi' },
    { type: 'signature', signature: 'c2ln' },
    stop,
  ]
  const response = check(write(events))
  expect(typesOf(response)).toEqual(['message', 'reasoning'])
  const { conversation } = translateRequest(validate({ model: 'm', input: response.output }), model)
  expect(conversation.messages[0]).toMatchObject({ content: 'Hi', thinking_blocks: [{ signature: 'c2ln' }] })
})

test('names return to their namespaces, and custom tools get raw text', () => {
  const patched: ChatEvent = {
    type: 'tool-call',
    call: {
      id: 'call_2',
      type: 'function',
      function: { name: 'write', arguments: '{"input":"raw \\"text\\""}' },
    },
  }
  const { output } = check(write([toolCall('call_1', 'far__look'), patched, stop]))
  expect<unknown>(output).toMatchObject([
    { type: 'function_call', name: 'look', namespace: 'far', call_id: 'call_1' },
    { type: 'custom_tool_call', name: 'write', input: 'raw "text"' },
  ])
})

test('citations are in the text', () => {
  const url_citation = { start_index: 0, end_index: 2, url: 'https://a.example', title: 'A' }
  const nothing = { citationMetadata: null, groundingMetadata: null, urlContextMetadata: null }
  const events: ChatEvent[] = [
    { type: 'text-delta', text: 'Hi' },
    { type: 'metadata', annotations: [{ type: 'url_citation', url_citation }], ...nothing },
    stop,
  ]
  expect<unknown>(check(write(events)).output).toMatchObject([
    { content: [{ annotations: [{ type: 'url_citation', ...url_citation }] }] },
  ])
})

test.each([
  ['stop', 'completed', null],
  ['tool_calls', 'completed', null],
  ['length', 'incomplete', { reason: 'max_output_tokens' }],
  ['content_filter', 'incomplete', { reason: 'content_filter' }],
] as const)('an answer that ends with %s is %s', (reason, status, incomplete_details) => {
  const response = check(
    write([
      { type: 'text-delta', text: 'Hi' },
      { type: 'finish', reason },
    ]),
  )
  expect(response).toMatchObject({ status, incomplete_details, usage: { cost: 0.5 } })
})

test('usage has cached and reasoning tokens, and the cost', () => {
  const writer = open()
  const usage = { inputTokens: 9, cachedTokens: 4, outputTokens: 7, reasoningTokens: 5 }
  const sent = parse(
    writer.write(0, stop) + writer.end([{ kind: 'reported', usage }, { kind: 'absent' }], 0.25),
  )
  expect(check(sent).usage).toEqual({
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 16,
    cost: 0.25,
  })
})

test('a silent stream sends in_progress events with their own sequence numbers', () => {
  const writer = open()
  const sent = parse(
    writer.write(0, { type: 'text-delta', text: 'Hi' }) + writer.keepAlive() + writer.write(0, stop),
  )
  expect(sent.map(({ sequence_number }) => sequence_number)).toEqual(sent.map((_, index) => index))
  expect(sent.filter(({ type }) => type === 'response.in_progress')).toHaveLength(2)
})

test.each([
  ['malformed_call', {}],
  ['empty', {}],
  ['empty', { isCompaction: true }],
] as const)('an empty answer (%s) has failed, with its cost: %j', (fault, form) => {
  const sent = write([{ type: 'finish', reason: 'stop', fault }], {}, form)
  expect(check(sent)).toMatchObject({
    status: 'failed',
    error: { code: 'server_error' },
    usage: { cost: 0.5 },
  })
})

test('a compacted conversation is one item; without text it has failed', () => {
  const events: ChatEvent[] = [
    { type: 'reasoning-delta', text: 'Hm' },
    { type: 'text-delta', text: 'Bl' },
    { type: 'text-delta', text: 'ue.' },
    stop,
  ]
  const { output } = check(write(events, {}, { isCompaction: true }))
  expect(output.map(item => item.type === 'compaction' && unpackSummary(item.encrypted_content))).toEqual([
    'Blue.',
  ])
  expect(check(write([stop], {}, { isCompaction: true })).status).toBe('failed')
})

test('an answer that is cut off ends with response.failed and its complete parts', () => {
  const writer = open()
  const begun = writer.write(0, toolCall('call_1')) + writer.write(0, { type: 'text-delta', text: 'Hi' })
  const last = parse(begun + writer.fail(new Error('secret'))).at(-1)
  expect(last?.type).toBe('response.failed')
  expect(last?.response).toMatchObject({
    status: 'failed',
    error: { code: 'server_error', message: 'Something failed inside the gateway.' },
    output: [{ type: 'function_call' }],
  })
})
