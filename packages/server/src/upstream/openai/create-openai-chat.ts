// The chat upstream that speaks to any OpenAI-compatible server: converts, calls, maps.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { readChatEvents } from '../chat-events.ts'
import type { Exchange } from '../exchange.ts'
import type { ChatCall, ChatUpstream } from '../port.ts'
import { convertChatRequest, type OutputCapMember } from './chat/convert-chat-request.ts'
import { mapChatResponse } from './chat/map-chat-response.ts'
import { OpenaiAnswer } from './chat/streamed-answer.ts'

/** `outputCap`: how the server calls the most output tokens. `newToolCallId`: a fresh id of letters and digits. */
export function createOpenaiChat(
  exchange: Pick<Exchange, 'callJson' | 'open'>,
  baseUrl: string,
  outputCap: OutputCapMember,
  newToolCallId: () => string,
): ChatUpstream {
  const url = `${baseUrl}/chat/completions`
  const write = (call: ChatCall, isStream: boolean) => {
    refuseImages(call)
    return { url, body: convertChatRequest(call, outputCap, isStream), endpoint: 'chat' } as const
  }
  return Object.freeze({
    complete: async (call: ChatCall, signal: AbortSignal | null) =>
      mapChatResponse(await exchange.callJson({ ...write(call, false), signal }), newToolCallId),
    stream: async (call: ChatCall, signal: AbortSignal) => {
      const stream = await exchange.open({ ...write(call, true), signal })
      return readChatEvents(stream, new OpenaiAnswer(stream, newToolCallId))
    },
    countTokens: async () => null,
  })
}

/** A chat reply does not list the tokens of an image apart from text, which is cheaper: we would charge too little. */
function refuseImages({ model, request }: ChatCall): void {
  if (model.modality !== 'image' && request.modalities?.includes('image') !== true) return
  throw invalidRequest('model', `${model.id} makes images at /images/generations and /images/edits only.`)
}
