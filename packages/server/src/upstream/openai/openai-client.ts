// Calls of an OpenAI-compatible server: its addresses, its bearer key, and the headers that its settings add.
import { createExchange, type ExchangeDependencies, type UpstreamStream } from '../exchange.ts'
import type { WholeReply } from '../read-whole.ts'
import type { UpstreamEndpoint } from '../timeouts.ts'
import { mapOpenaiError } from './map-openai-error.ts'
import { readRetryAfter } from './read-retry-after.ts'

export type OpenaiClientDependencies = ExchangeDependencies & {
  /** Without a trailing slash; `/chat/completions` follows. */
  readonly baseUrl: string
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>
}

export type OpenaiCall = {
  /** After the base address: `chat/completions`. */
  readonly path: string
  readonly body: object | FormData
  readonly endpoint: UpstreamEndpoint
  readonly signal: AbortSignal | null
}

export type OpenaiClient = {
  /** What `read` makes of the reply of a unary call. Throws ApiError `upstream_*`, `model_not_found`, `content_policy_violation`. */
  readonly call: <Reply>(
    call: OpenaiCall,
    read: (reply: WholeReply) => Reply | Promise<Reply>,
  ) => Promise<Reply>
  /** The body of a streamed reply, once the upstream has answered 200. Throws like `call`. */
  readonly open: (call: OpenaiCall) => Promise<UpstreamStream>
}

export function createOpenaiClient(dependencies: OpenaiClientDependencies): OpenaiClient {
  const { baseUrl, headers, ...others } = dependencies
  const exchange = createExchange(others, {
    writeHeaders: secret => (secret === '' ? headers : { ...headers, authorization: `Bearer ${secret}` }),
    mapError: mapOpenaiError,
    readRetryDelay: refusal => readRetryAfter(refusal.headers),
  })
  const locate = ({ path, ...call }: OpenaiCall) => ({ ...call, url: `${baseUrl}/${path}` })
  return Object.freeze({
    call: <Reply>(call: OpenaiCall, read: (reply: WholeReply) => Reply | Promise<Reply>) =>
      exchange.call(locate(call), read),
    open: (call: OpenaiCall) => exchange.open(locate(call)),
  })
}

export function readJson({ json }: WholeReply): unknown {
  return json()
}
