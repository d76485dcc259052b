// Requests that six agents really send (recorded in November 2026, texts shortened) are accepted and become the conversation in the
// file next to them. `UPDATE_AGENTS=1` records an intended change.
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { countTokensRequestSchema, messagesRequestSchema } from '@fairgate/contracts/messages/request.ts'
import { validateWith } from '../../../http/validate.ts'
import { convertChatRequest } from '../../../upstream/gemini/chat/convert-chat-request.ts'
import { buildChatCall } from '../../../upstream/testing/build-chat-call.ts'
import { convertRequest } from './convert-request.ts'

type Recorded = {
  readonly name: string
  readonly path: string
  readonly body: object
  readonly conversation?: object
}

const file = new URL('./__fixtures__/agents.jsonl', import.meta.url)
const recorded = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as Recorded)

const isCount = ({ path }: Recorded) => path.endsWith('/count_tokens')
const validate = validateWith(messagesRequestSchema)
const validateCount = validateWith(countTokensRequestSchema)
const { model } = buildChatCall()

function convert(request: Recorded) {
  const body = isCount(request) ? validateCount(request.body) : validate(request.body)
  return convertRequest(body, model).conversation
}

test.each(recorded.map(request => [request.name, request] as const))('%s', (_, request) => {
  const conversation = convert(request)
  if (process.env.UPDATE_AGENTS === undefined)
    expect(JSON.parse(JSON.stringify(conversation))).toEqual(request.conversation)
  // Nothing in it keeps the vendor's adapter from writing its request.
  for (const reasoning of ['budget', 'level', 'none'] as const) {
    const call = buildChatCall({}, { reasoning })
    expect(convertChatRequest({ ...call, request: conversation }).contents.length).toBeGreaterThan(0)
  }
})

if (process.env.UPDATE_AGENTS !== undefined) {
  const lines = recorded.map(request => JSON.stringify({ ...request, conversation: convert(request) }))
  writeFileSync(file, `${lines.join('\n')}\n`)
}
