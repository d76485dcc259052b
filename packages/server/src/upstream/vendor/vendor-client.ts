// Calls of the vendor's API: its addresses and its key header; what is common to all upstreams is in ../exchange.ts.
import { createExchange, type ExchangeDependencies, type UpstreamStream } from '../exchange.ts'
import type { WholeReply } from '../read-whole.ts'
import type { UpstreamEndpoint } from '../timeouts.ts'
import { vendorDialect } from './vendor-dialect.ts'

export type VendorClientDependencies = ExchangeDependencies & {
  /** Without a trailing slash. */
  readonly baseUrl: string
}

export type VendorCall = {
  /** After the version: `models/<id>:generateContent`. */
  readonly path: string
  readonly body: object
  /** What the call is for: its time-out is found by it. */
  readonly endpoint: UpstreamEndpoint
  readonly signal: AbortSignal | null
}

export type VendorStream = UpstreamStream

export type VendorClient = {
  /** The parsed reply of a unary call. Throws ApiError `upstream_*` or `model_not_found`. */
  readonly call: (call: VendorCall) => Promise<unknown>
  /** The body of a streamed reply, once the upstream has answered 200. Throws like `call`. */
  readonly open: (call: VendorCall) => Promise<VendorStream>
}

export function createVendorClient({ baseUrl, ...dependencies }: VendorClientDependencies): VendorClient {
  const exchange = createExchange(dependencies, vendorDialect)
  const locate = ({ path, body, endpoint, signal }: VendorCall) => ({
    url: `${baseUrl}/v1beta/${path}`,
    body,
    endpoint,
    signal,
  })
  return Object.freeze({
    call: (call: VendorCall) => exchange.call(locate(call), readJson),
    open: (call: VendorCall) => exchange.open(locate(call)),
  })
}

function readJson({ json }: WholeReply): unknown {
  return json()
}
