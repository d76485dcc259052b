// The model gets its output back through a client that knows nothing about signatures and only repeats OpenAI's members.
import { expect, test } from 'bun:test'
import { chatRequestSchema } from '@fairgate/contracts/chat/request.ts'
import type { ChatCompletion } from '@fairgate/contracts/chat/response.ts'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { convertChatRequest } from '../../../upstream/gemini/chat/convert-chat-request.ts'
import { mapChatResponse } from '../../../upstream/gemini/chat/map-chat-response.ts'
import { buildChatCall } from '../../../upstream/testing/build-chat-call.ts'
import { buildCompletion } from './build-completion.ts'

const compiled = Compile(chatRequestSchema)
const question = { role: 'user', content: 'How is the weather?' } as const

/** As the types of OpenAI's client would let a program write it. */
function echo(message: ChatCompletion['choices'][number]['message']) {
  return { role: 'assistant', content: message.content, tool_calls: message.tool_calls }
}

test('calls return with their names, arguments and signatures, and so do their results', () => {
  const base64 = fc
    .uint8Array({ minLength: 1, maxLength: 100 })
    .map(bytes => Buffer.from(bytes).toString('base64'))
  const part = fc.record({
    functionCall: fc.record({
      name: fc.stringMatching(/^[a-z_]{1,20}$/),
      args: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
    }),
    thoughtSignature: fc.option(base64, { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), parts => {
      // As sent over the wire: undefined members are absent.
      const sent = JSON.parse(JSON.stringify(parts)) as unknown[]
      let count = 0
      const reply = { candidates: [{ content: { parts: sent }, finishReason: 'STOP' }], usageMetadata: {} }
      const result = mapChatResponse(reply, () => String(++count))
      const call = buildChatCall({ messages: [question] })
      const { choices } = buildCompletion({
        results: [result],
        request: call.request,
        callId: 'c',
        created: 1,
      })
      const [choice] = choices
      if (choice === undefined) throw new Error('There is no choice.')
      expect(choice.finish_reason).toBe('tool_calls')
      const toolCalls = choice.message.tool_calls ?? []
      const results = toolCalls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: `of ${id}` }))
      const next: unknown = { model: 'm', messages: [question, echo(choice.message), ...results.reverse()] }
      const { messages } = compiled.Parse(JSON.parse(JSON.stringify(next)))
      const { contents } = convertChatRequest(buildChatCall({ messages }))
      expect<unknown>(contents[1]?.parts).toEqual(sent)
      expect<unknown>(contents[2]?.parts).toEqual(
        parts.map(({ functionCall: { name } }, index) => ({
          functionResponse: { name, response: { output: `of ${toolCalls[index]?.id}` } },
        })),
      )
    }),
    { numRuns: 60 },
  )
})
