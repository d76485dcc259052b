// A configured OpenAI-compatible server as an upstream: chat and media over one exchange, with a bearer key or none.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { ChatEventReader } from '../chat-events.ts'
import type { Upstream } from '../choose-upstream.ts'
import { Exchange, type ExchangeDependencies } from '../exchange.ts'
import type { ChatCall, ChatUpstream } from '../port.ts'
import type { Dialect } from '../send-request.ts'
import { readRetryAfter } from '../upstream-failure.ts'
import { convertChatRequest, type OutputCapMember } from './chat/convert-chat-request.ts'
import { mapChatResponse } from './chat/map-chat-response.ts'
import { OpenaiAnswer } from './chat/streamed-answer.ts'
import { isOpenaiKeyInvalid, judgeOpenaiKey, mapOpenaiError } from './map-openai-error.ts'
import { createOpenaiMedia } from './media.ts'

export type OpenaiUpstreamDependencies = ExchangeDependencies & {
  /** Without a trailing slash; `/chat/completions` follows. */
  readonly baseUrl: string
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>
  readonly outputCap: OutputCapMember
  /** A fresh id for a tool call: letters and digits. */
  readonly newToolCallId: () => string
}

/** How such servers are addressed, and how they refuse. */
export function openaiDialect(headers: Readonly<Record<string, string>>): Dialect {
  return {
    writeHeaders: secret => (secret === '' ? headers : { ...headers, authorization: `Bearer ${secret}` }),
    mapError: mapOpenaiError,
    readRetryDelay: refusal => readRetryAfter(refusal.headers),
    judgeKey: judgeOpenaiKey,
    isKeyInvalid: isOpenaiKeyInvalid,
  }
}

export function createOpenaiUpstream(dependencies: OpenaiUpstreamDependencies): Upstream {
  const { baseUrl, headers, outputCap, newToolCallId } = dependencies
  const exchange = new Exchange(dependencies, openaiDialect(headers))
  return {
    chat: createOpenaiChat(exchange, baseUrl, outputCap, newToolCallId),
    media: createOpenaiMedia(exchange, baseUrl),
  }
}

/** `outputCap`: the server's name for the max output tokens. `newToolCallId`: a fresh id of letters and digits. */
function createOpenaiChat(
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
  return Object.freeze<ChatUpstream>({
    complete: async (call, signal, team) => {
      const { json, upstreamKey } = await exchange.callJson({ ...write(call, false), signal, team })
      return mapChatResponse(json, newToolCallId, upstreamKey)
    },
    stream: async (call, signal, team) => {
      const stream = await exchange.open({ ...write(call, true), signal, team })
      return new ChatEventReader(stream, new OpenaiAnswer(stream, newToolCallId))
    },
    countTokens: async () => null,
  })
}

/** A chat reply does not list the tokens of an image separately from text, which is cheaper: we would charge too little. */
function refuseImages({ model, request }: ChatCall): void {
  if (model.modality !== 'image' && request.modalities?.includes('image') !== true) return
  throw invalidRequest('model', `${model.id} makes images at /images/generations and /images/edits only.`)
}
