// Function results with failures, images and documents, for models that accept media within a result and for those that do not.
import { expect, test } from 'bun:test'
import type { ChatMessage, ToolMessage } from '@fairgate/contracts/chat/message.ts'
import { buildChatCall } from '../../testing/build-chat-call.ts'
import { convertChatRequest } from './convert-chat-request.ts'

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,UE5H' } } as const
const pdf = { type: 'file', file: { file_data: 'data:application/pdf;base64,UERG' } } as const
const text = { type: 'text', text: 'seen' } as const
const inlineImage = { inlineData: { mimeType: 'image/png', data: 'UE5H' } }
const inlinePdf = { inlineData: { mimeType: 'application/pdf', data: 'UERG' } }
const call = (id: string) => ({ id, type: 'function', function: { name: id, arguments: '{}' } }) as const
const result = (id: string, content: ToolMessage['content'], isError?: boolean): ToolMessage => ({
  role: 'tool',
  tool_call_id: id,
  content,
  ...(isError === undefined ? {} : { is_error: isError }),
})

function partsOf(reasoning: 'level' | 'budget', ...results: ToolMessage[]): unknown {
  const calls: ChatMessage = { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] }
  const { contents } = convertChatRequest(buildChatCall({ messages: [calls, ...results] }, { reasoning }))
  return contents.at(-1)?.parts
}
const response = (name: string, response: object, parts?: object[]) => ({
  functionResponse: parts === undefined ? { name, response } : { name, response, parts },
})

test('a failure is marked, and never treated as an object', () => {
  expect(partsOf('level', result('a', '{"x":1}', true), result('b', '{"x":1}', false))).toEqual([
    response('a', { error: '{"x":1}' }),
    response('b', { x: 1 }),
  ])
})

test('media stay within their result if the model accepts them there', () => {
  expect(partsOf('level', result('a', [text, image, pdf]), result('b', [image], true))).toEqual([
    response('a', { output: 'seen' }, [inlineImage, inlinePdf]),
    response('b', { error: '' }, [inlineImage]),
  ])
})

test('other models get media after all results, in the order of the calls', () => {
  expect(partsOf('budget', result('b', [image], true), result('a', [text, pdf, text]))).toEqual([
    response('a', { output: 'seenseen\n(file follows)' }),
    response('b', { error: '(image follows)' }),
    inlinePdf,
    inlineImage,
  ])
})
