// Anthropic's API as an upstream: chat in our own form, and Messages as their clients write them, over one exchange.
import { ChatEventReader } from '../chat-events.ts'
import type { Upstream } from '../choose-upstream.ts'
import { Exchange, type ExchangeDependencies, idOf } from '../exchange.ts'
import { asRecord, readTokenCount } from '../narrow-json.ts'
import type { ChatCall, ChatUpstream } from '../port.ts'
import { type MessagesCall, type MessagesRelay, usualRelayType } from '../relay-port.ts'
import type { Dialect } from '../send-request.ts'
import { emptyAnswer, readRetryAfter } from '../upstream-failure.ts'
import { convertChatRequest, convertInput } from './chat/convert-chat-request.ts'
import { mapChatResponse } from './chat/map-chat-response.ts'
import { AnthropicAnswer } from './chat/streamed-answer.ts'
import { listOuterNames } from './chat/tool-names.ts'
import { isAnthropicKeyInvalid, judgeAnthropicKey, mapAnthropicError } from './map-anthropic-error.ts'

type AnthropicUpstreamDependencies = ExchangeDependencies & {
  /** Without a trailing slash; `/v1/messages` follows. */
  readonly baseUrl: string
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>
  /** A fresh id for a tool call: letters and digits. */
  readonly newToolCallId: () => string
}

/** The version whose shapes this folder knows. */
const version = '2023-06-01'

function anthropicDialect(headers: Readonly<Record<string, string>>): Dialect {
  const all = { ...headers, 'anthropic-version': version }
  return {
    writeHeaders: secret => (secret === '' ? all : { ...all, 'x-api-key': secret }),
    mapError: mapAnthropicError,
    readRetryDelay: refusal => readRetryAfter(refusal.headers),
    judgeKey: judgeAnthropicKey,
    isKeyInvalid: isAnthropicKeyInvalid,
  }
}

export function createAnthropicUpstream(dependencies: AnthropicUpstreamDependencies): Upstream {
  const { baseUrl, headers, newToolCallId } = dependencies
  const exchange = new Exchange(dependencies, anthropicDialect(headers))
  const url = `${baseUrl}/v1/messages`
  return {
    chat: createAnthropicChat(exchange, url, newToolCallId),
    media: null,
    messages: createMessagesRelay(exchange, url),
  }
}

function createAnthropicChat(
  exchange: Pick<Exchange, 'callJson' | 'open'>,
  url: string,
  newId: () => string,
): ChatUpstream {
  const namesOf = ({ request }: ChatCall) => ({ outer: listOuterNames(request.tools ?? []), newId })
  return Object.freeze<ChatUpstream>({
    complete: async (call, signal, team) => {
      const body = convertChatRequest(call, false)
      const { json, upstreamKey } = await exchange.callJson({ url, body, endpoint: 'chat', signal, team })
      return mapChatResponse(json, namesOf(call), upstreamKey)
    },
    stream: async (call, signal, team) => {
      const body = convertChatRequest(call, true)
      const stream = await exchange.open({ url, body, endpoint: 'chat', signal, team })
      return new ChatEventReader(stream, new AnthropicAnswer(stream, namesOf(call)))
    },
    countTokens: async (call, signal, team) => {
      const request = { url: `${url}/count_tokens`, body: convertInput(call) }
      return readCount((await exchange.callJson({ ...request, endpoint: 'chat', signal, team })).json)
    },
  })
}

function createMessagesRelay(
  exchange: Pick<Exchange, 'call' | 'callJson' | 'open'>,
  url: string,
): MessagesRelay {
  const write = ({ body, betas }: MessagesCall) => ({
    url,
    body,
    endpoint: 'chat' as const,
    ...(betas === null ? {} : { headers: { 'anthropic-beta': betas } }),
  })
  return Object.freeze<MessagesRelay>({
    call: (call, team) =>
      exchange.call({ ...write(call), signal: null, team }, async (reply, key) => ({
        contentType: reply.headers.get('content-type') ?? usualRelayType,
        body: await reply.bytes(),
        upstreamKey: idOf(key),
      })),
    open: (call, signal, team) => exchange.open({ ...write(call), signal, team }),
    countTokens: async (call, signal, team) => {
      const request = { ...write(call), url: `${url}/count_tokens`, signal, team }
      const count = readCount((await exchange.callJson(request)).json)
      if (count === null) throw emptyAnswer()
      return count
    },
  })
}

function readCount(reply: unknown): number | null {
  const said = asRecord(reply)?.input_tokens
  const count = readTokenCount(said)
  return said === undefined || Number.isNaN(count) ? null : count
}
