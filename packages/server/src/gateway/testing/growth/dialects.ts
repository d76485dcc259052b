// Each dialect's work on a body before an upstream is asked: the body is parsed, checked, translated, measured, and written for the
// upstream, and its newest texts are gathered.
import { chatRequestSchema } from '@fairgate/contracts/chat/request.ts'
import { geminiGenerateSchema } from '@fairgate/contracts/gemini/generate-request.ts'
import { messagesRequestSchema } from '@fairgate/contracts/messages/request.ts'
import { responsesRequestSchema } from '@fairgate/contracts/responses/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { parseJson } from '../../../http/read-body.ts'
import { validateWith } from '../../../http/validate.ts'
import { convertChatRequest as writeForAnthropic } from '../../../upstream/anthropic/chat/convert-chat-request.ts'
import { convertChatRequest as writeForGemini } from '../../../upstream/gemini/chat/convert-chat-request.ts'
import { convertChatRequest as writeForOpenai } from '../../../upstream/openai/chat/convert-chat-request.ts'
import type { Conversation } from '../../../upstream/port.ts'
import { type ChatEndpoint, planChat, type TurnSize } from '../../conversation/plan-chat.ts'
import { convertRequest as convertChat } from '../../endpoints/chat-completions/convert-request.ts'
import { convertRequest } from '../../endpoints/messages/convert-request.ts'
import { readNative } from '../../endpoints/messages/read-native.ts'
import { checkGenerate } from '../../endpoints/pass-through/check-generate.ts'
import { planGenerate } from '../../endpoints/pass-through/plan-generate.ts'
import { createBodyReader } from '../../endpoints/pass-through/read-body.ts'
import { translateRequest } from '../../endpoints/responses/translate-request.ts'

/** `relayed`: a message to a model of Anthropic. */
export const dialects = ['chat', 'messages', 'relayed', 'responses', 'generate'] as const
export type Dialect = (typeof dialects)[number]

const checkChat = validateWith(chatRequestSchema)
const checkMessages = validateWith(messagesRequestSchema)
const checkResponses = validateWith(responsesRequestSchema)
const readGenerate = createBodyReader(geminiGenerateSchema)

/** Throws ApiError for a refused body. */
export function prepareCall(dialect: Dialect, bytes: Uint8Array, model: CatalogModel): void {
  if (dialect === 'relayed') {
    const request = checkMessages(parseJson(bytes))
    const { body, size } = readNative(request, { ...model, kind: 'anthropic' })
    planTurn({ model: request.model, messages: [] }, model, 'messages', size)
    JSON.stringify(body)
    return
  }
  if (dialect !== 'generate') {
    prepareTurn(readConversation(dialect, bytes, model), model, dialect)
    return
  }
  const { value: request } = readGenerate(bytes)
  checkGenerate(request, model)
  planGenerate({ request, model, bodyBytes: bytes.length, countInput: async () => null }).texts?.()
}

function readConversation(dialect: ChatEndpoint, bytes: Uint8Array, model: CatalogModel): Conversation {
  const parsed = parseJson(bytes)
  switch (dialect) {
    case 'chat':
      return convertChat(checkChat(parsed))
    case 'messages':
      return convertRequest(checkMessages(parsed), model).conversation
    case 'responses':
      return translateRequest(checkResponses(parsed), model).conversation
  }
}

function planTurn(request: Conversation, model: CatalogModel, endpoint: ChatEndpoint, size?: TurnSize) {
  const dependencies = { minimumUsefulOutput: 256, countInput: async () => null }
  return planChat(request, model, () => new AbortController().signal, dependencies, endpoint, size)
}

function prepareTurn(request: Conversation, model: CatalogModel, endpoint: ChatEndpoint): void {
  const plan = planTurn(request, model, endpoint)
  plan.texts?.()
  const call = { request, model, outputCap: plan.askedOutput }
  JSON.stringify(writeForGemini(call))
  JSON.stringify(writeForOpenai(call, 'max_tokens', true))
  JSON.stringify(writeForAnthropic(call, true))
}
