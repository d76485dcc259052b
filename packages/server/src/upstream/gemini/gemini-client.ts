// Calls of the vendor's API: its addresses and its key header; what is common to all upstreams is in ../exchange.ts.
import { createExchange, type ExchangeDependencies, type UpstreamStream } from '../exchange.ts'
import type { WholeReply } from '../read-whole.ts'
import type { UpstreamEndpoint } from '../timeouts.ts'
import { geminiDialect } from './gemini-dialect.ts'

export type GeminiClientDependencies = ExchangeDependencies & {
  /** Without a trailing slash. */
  readonly baseUrl: string
}

export type GeminiCall = {
  /** After the version: `models/<id>:generateContent`. */
  readonly path: string
  readonly body: object
  /** What the call is for: its time-out is found by it. */
  readonly endpoint: UpstreamEndpoint
  readonly signal: AbortSignal | null
}

export type GeminiStream = UpstreamStream

export type GeminiClient = {
  /** The parsed reply of a unary call. Throws ApiError `upstream_*` or `model_not_found`. */
  readonly call: (call: GeminiCall) => Promise<unknown>
  /** The body of a streamed reply, once the upstream has answered 200. Throws like `call`. */
  readonly open: (call: GeminiCall) => Promise<GeminiStream>
}

export function createGeminiClient({ baseUrl, ...dependencies }: GeminiClientDependencies): GeminiClient {
  const exchange = createExchange(dependencies, geminiDialect)
  const locate = ({ path, body, endpoint, signal }: GeminiCall) => ({
    url: `${baseUrl}/v1beta/${path}`,
    body,
    endpoint,
    signal,
  })
  return Object.freeze({
    call: (call: GeminiCall) => exchange.call(locate(call), readJson),
    open: (call: GeminiCall) => exchange.open(locate(call)),
  })
}

function readJson({ json }: WholeReply): unknown {
  return json()
}
