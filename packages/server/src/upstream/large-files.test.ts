// Large files in a request: the vendor's address in place of each mark, and a refusal by every upstream without a store of files.
import { expect, test } from 'bun:test'
import { convertChatRequest as toAnthropic } from './anthropic/chat/convert-chat-request.ts'
import { convertChatRequest as toGemini } from './gemini/chat/convert-chat-request.ts'
import { type LargeFiles, replaceMarks } from './large-files.ts'
import { convertChatRequest as toOpenai } from './openai/chat/convert-chat-request.ts'
import type { ChatCall, Conversation } from './port.ts'
import { buildChatCall } from './testing/build-chat-call.ts'

const file = {
  fileId: 'file-1',
  mimeType: 'video/mp4',
  bytes: 1,
  mark: 'mark-of-1',
  content: async function* () {},
}
const largeFiles: LargeFiles = {
  files: new Map([[file.fileId, file]]),
  client: new AbortController().signal,
  sent: { isSent: false },
}
const part = { type: 'file', file: { file_id: 'file-1' } } as const
const stored = { fileData: { mimeType: 'video/mp4', fileUri: 'mark-of-1' } }
const messages: Conversation['messages'] = [{ role: 'user', content: [part] }]
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } } as const

test('the vendor gets a mark, for a result of a function behind it', () => {
  expect(toGemini(buildChatCall({ messages, largeFiles })).contents).toEqual([
    { role: 'user', parts: [stored] },
  ])
  const ofTool: Conversation['messages'] = [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: [part] },
  ]
  for (const reasoning of ['level', 'budget'] as const)
    expect(toGemini(buildChatCall({ messages: ofTool, largeFiles }, { reasoning })).contents.at(-1)).toEqual({
      role: 'user',
      parts: [{ functionResponse: { name: 'f', response: { output: '(file follows)' } } }, stored],
    })
})

test.each<[string, (asked: ChatCall) => unknown]>([
  ['an OpenAI-compatible upstream', asked => toOpenai(asked, 'max_tokens', false)],
  ['Anthropic', asked => toAnthropic(asked, false)],
  [
    'the vendor, for an id that is not among the files',
    asked => toGemini(buildChatCall({ ...asked.request, largeFiles: { ...largeFiles, files: new Map() } })),
  ],
])('%s refuses a file without data', (_, convert) => {
  expect(() => convert(buildChatCall({ messages, largeFiles }))).toThrow(/store for files|not a data URL/)
})

test('every other byte of a body stays, and an address is written as JSON writes it', () => {
  const body = Buffer.concat([
    Buffer.from('{"a":"é€'),
    Buffer.from([0xff, 0x00]),
    Buffer.from('","b":"mark-of-1"}'),
  ])
  const written = replaceMarks(body, new Map([['mark-of-1', 'https://v/"$&']]))
  const end = Buffer.from('","b":"https://v/\\"$&"}')
  expect(Buffer.from(written)).toEqual(Buffer.concat([body.subarray(0, body.indexOf('","b"')), end]))
})
