// The chat upstream that speaks to any OpenAI-compatible server: converts, calls, maps.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ChatCall, ChatUpstream } from '../port.ts'
import { convertChatRequest, type OutputCapMember } from './chat/convert-chat-request.ts'
import { mapChatResponse } from './chat/map-chat-response.ts'
import { readChatStream } from './chat/read-chat-stream.ts'
import { type OpenaiClient, readJson } from './openai-client.ts'

export type OpenaiChatDependencies = {
  /** How the server calls the most output tokens. */
  readonly outputCap: OutputCapMember
  /** A fresh id for a tool call: letters and digits. */
  readonly newToolCallId: () => string
}

export function createOpenaiChat(
  client: OpenaiClient,
  { outputCap, newToolCallId }: OpenaiChatDependencies,
): ChatUpstream {
  const convert = (call: ChatCall, isStream: boolean) => {
    refuseImages(call)
    const body = convertChatRequest(call, outputCap, isStream)
    return { path: 'chat/completions', body, endpoint: 'chat' } as const
  }
  return Object.freeze({
    complete: async (call: ChatCall, signal: AbortSignal | null) => {
      const reply = await client.call({ ...convert(call, false), signal }, readJson)
      return mapChatResponse(reply, newToolCallId)
    },
    stream: async (call: ChatCall, signal: AbortSignal) =>
      readChatStream(await client.open({ ...convert(call, true), signal }), newToolCallId),
    countTokens: async () => null,
  })
}

/** The tokens of an image in a chat reply are not told apart from its text, which is cheaper: it would be charged too little. */
function refuseImages({ model, request }: ChatCall): void {
  if (model.modality !== 'image' && request.modalities?.includes('image') !== true) return
  throw new ApiError('invalid_request', {
    param: 'model',
    message: `${model.id} makes images at /images/generations and /images/edits only.`,
  })
}
