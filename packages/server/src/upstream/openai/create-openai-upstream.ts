// A configured OpenAI-compatible server as an upstream: chat and media over one exchange, with a bearer key or none.
import type { Upstream } from '../choose-upstream.ts'
import { type Dialect, Exchange, type ExchangeDependencies } from '../exchange.ts'
import { readRetryAfter } from '../retry-after.ts'
import type { OutputCapMember } from './chat/convert-chat-request.ts'
import { createOpenaiChat } from './create-openai-chat.ts'
import { createOpenaiMedia } from './create-openai-media.ts'
import { mapOpenaiError } from './map-openai-error.ts'

export type OpenaiUpstreamDependencies = ExchangeDependencies & {
  /** Without a trailing slash; `/chat/completions` follows. */
  readonly baseUrl: string
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>
  readonly outputCap: OutputCapMember
  /** A fresh id for a tool call: letters and digits. */
  readonly newToolCallId: () => string
}

/** How such servers are addressed, and how they say no. */
export function openaiDialect(headers: Readonly<Record<string, string>>): Dialect {
  return {
    writeHeaders: secret => (secret === '' ? headers : { ...headers, authorization: `Bearer ${secret}` }),
    mapError: mapOpenaiError,
    readRetryDelay: refusal => readRetryAfter(refusal.headers),
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
