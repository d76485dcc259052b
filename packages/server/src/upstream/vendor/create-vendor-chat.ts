// The chat upstream that speaks the vendor's API: converts, calls, maps.
import type { ChatCall, ChatUpstream } from '../port.ts'
import { convertChatRequest } from './chat/convert-chat-request.ts'
import { mapChatResponse } from './chat/map-chat-response.ts'
import { readChatStream } from './chat/read-chat-stream.ts'
import { readTotalTokens } from './chat/read-total-tokens.ts'
import type { VendorClient } from './vendor-client.ts'

export function createVendorChat(client: VendorClient): ChatUpstream {
  return Object.freeze({
    complete: async (call: ChatCall, signal: AbortSignal | null) => {
      const path = `models/${call.model.upstreamId}:generateContent`
      return mapChatResponse(await client.call({ path, body: convertChatRequest(call), signal }))
    },

    stream: async (call: ChatCall, signal: AbortSignal) => {
      const path = `models/${call.model.upstreamId}:streamGenerateContent?alt=sse`
      return readChatStream(await client.open({ path, body: convertChatRequest(call), signal }))
    },

    countTokens: async (call: ChatCall, signal: AbortSignal) => {
      const model = `models/${call.model.upstreamId}`
      const { contents, systemInstruction } = convertChatRequest(call)
      const generateContentRequest = {
        model,
        contents,
        ...(systemInstruction === undefined ? {} : { systemInstruction }),
      }
      return readTotalTokens(
        await client.call({ path: `${model}:countTokens`, body: { generateContentRequest }, signal }),
      )
    },
  })
}
