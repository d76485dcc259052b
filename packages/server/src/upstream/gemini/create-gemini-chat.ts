// The chat upstream that speaks the vendor's API: converts, calls, maps.
import { ChatEventReader } from '../chat-events.ts'
import type { Exchange } from '../exchange.ts'
import type { ChatCall, ChatUpstream } from '../port.ts'
import { convertChatRequest } from './chat/convert-chat-request.ts'
import { mapChatResponse } from './chat/map-chat-response.ts'
import { readTotalTokens } from './chat/read-total-tokens.ts'
import { GeminiAnswer } from './chat/streamed-answer.ts'

/** `address`: of the API, with its version. `newToolCallId`: a fresh id of letters and digits. */
export function createGeminiChat(
  exchange: Pick<Exchange, 'callJson' | 'open'>,
  address: string,
  newToolCallId: () => string,
): ChatUpstream {
  const locate = ({ model }: ChatCall, verb: string) => `${address}/models/${model.upstreamId}:${verb}`
  return Object.freeze({
    complete: async (call: ChatCall, signal: AbortSignal | null) => {
      const request = { url: locate(call, 'generateContent'), body: convertChatRequest(call) }
      const reply = await exchange.callJson({ ...request, endpoint: 'chat', signal })
      return mapChatResponse(reply, newToolCallId)
    },

    stream: async (call: ChatCall, signal: AbortSignal) => {
      const request = { url: locate(call, 'streamGenerateContent?alt=sse'), body: convertChatRequest(call) }
      const stream = await exchange.open({ ...request, endpoint: 'chat', signal })
      return new ChatEventReader(stream, new GeminiAnswer(stream, newToolCallId))
    },

    countTokens: async (call: ChatCall, signal: AbortSignal) => {
      const { contents, systemInstruction, tools, generationConfig } = convertChatRequest(call)
      const { responseMimeType, responseJsonSchema } = generationConfig
      const generateContentRequest = {
        model: `models/${call.model.upstreamId}`,
        contents,
        ...(systemInstruction === undefined ? {} : { systemInstruction }),
        ...(tools === undefined ? {} : { tools }),
        // The schema is part of the input; nothing else in the configuration is.
        ...(responseJsonSchema === undefined
          ? {}
          : { generationConfig: { responseMimeType, responseJsonSchema } }),
      }
      const request = { url: locate(call, 'countTokens'), body: { generateContentRequest } }
      return readTotalTokens(await exchange.callJson({ ...request, endpoint: 'chat', signal }))
    },
  })
}
