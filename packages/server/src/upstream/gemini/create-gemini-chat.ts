// The chat upstream that speaks the vendor's API: converts, calls, maps.
import type { ChatCall, ChatUpstream } from '../port.ts'
import { convertChatRequest } from './chat/convert-chat-request.ts'
import { mapChatResponse } from './chat/map-chat-response.ts'
import { readChatStream } from './chat/read-chat-stream.ts'
import { readTotalTokens } from './chat/read-total-tokens.ts'
import type { GeminiClient } from './gemini-client.ts'

export type GeminiChatDependencies = {
  /** A fresh id for a tool call: letters and digits. */
  readonly newToolCallId: () => string
}

export function createGeminiChat(
  client: GeminiClient,
  { newToolCallId }: GeminiChatDependencies,
): ChatUpstream {
  return Object.freeze({
    complete: async (call: ChatCall, signal: AbortSignal | null) => {
      const path = `models/${call.model.upstreamId}:generateContent`
      const reply = await client.call({ path, body: convertChatRequest(call), endpoint: 'chat', signal })
      return mapChatResponse(reply, newToolCallId)
    },

    stream: async (call: ChatCall, signal: AbortSignal) => {
      const path = `models/${call.model.upstreamId}:streamGenerateContent?alt=sse`
      const stream = await client.open({ path, body: convertChatRequest(call), endpoint: 'chat', signal })
      return readChatStream(stream, newToolCallId)
    },

    countTokens: async (call: ChatCall, signal: AbortSignal) => {
      const model = `models/${call.model.upstreamId}`
      const { contents, systemInstruction, tools, generationConfig } = convertChatRequest(call)
      const { responseMimeType, responseJsonSchema } = generationConfig
      const generateContentRequest = {
        model,
        contents,
        ...(systemInstruction === undefined ? {} : { systemInstruction }),
        ...(tools === undefined ? {} : { tools }),
        // The schema is part of the input; nothing else in the configuration is.
        ...(responseJsonSchema === undefined
          ? {}
          : { generationConfig: { responseMimeType, responseJsonSchema } }),
      }
      return readTotalTokens(
        await client.call({
          path: `${model}:countTokens`,
          body: { generateContentRequest },
          endpoint: 'chat',
          signal,
        }),
      )
    },
  })
}
