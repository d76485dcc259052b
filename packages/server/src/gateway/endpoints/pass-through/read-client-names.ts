// How a client of the pass-through names itself, as far as the upstream is told.
import type { ClientNames } from '../../../upstream/relay-port.ts'

/** Printable ASCII; the SDKs need less than 200 characters of it. */
const wellFormed = /^[\x20-\x7e]{1,500}$/
/** `google-genai-sdk/3.4.0 gl-python/3.11`, and the older `genai-js/0.24.1`. */
const sdkAgent = /(?:^|\s)(?:google-gen[\w-]*|genai-[\w-]+)\//i

/**
 * Only the names of the vendor's own SDKs: the vendor answers these as their models read it. Any other user agent, and a name
 * that is not well formed, stays here.
 */
export function readClientNames(headers: Headers): ClientNames {
  const apiClient = headers.get('x-goog-api-client') ?? ''
  const agent = headers.get('user-agent') ?? ''
  return {
    ...(wellFormed.test(apiClient) ? { 'x-goog-api-client': apiClient } : {}),
    ...(wellFormed.test(agent) && sdkAgent.test(agent) ? { 'user-agent': agent } : {}),
  }
}
