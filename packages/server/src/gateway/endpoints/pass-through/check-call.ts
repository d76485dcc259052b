// Checks query and headers. Default-deny for query parameters and headers that could hide usage or redirect the call; of all
// headers, only the names of the vendor's own SDKs go upstream.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ClientNames } from '../../../upstream/relay-port.ts'

/** A mask cuts the usage out of a reply; an override makes it another call; a project makes another one pay. */
const refusedHeaders = [
  'x-goog-fieldmask',
  'x-goog-field-mask',
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-goog-user-project',
] as const

export type AllowedQuery = Readonly<Record<string, (value: string) => boolean>>

const isJson = (value: string) => value === 'json'

/** `alt` has a meaning only if there is more than one form of the reply. */
export const plainQuery: AllowedQuery = { alt: isJson }
export const streamQuery: AllowedQuery = { alt: value => value === 'sse' || value === 'json' }
export const downloadQuery: AllowedQuery = { alt: value => value === 'media' }
export const pageQuery: AllowedQuery = {
  alt: isJson,
  pageSize: value => /^\d{1,9}$/.test(value),
  pageToken: () => true,
}

/**
 * The query's values by name. Of the client's query and headers, only the names of the vendor's own SDKs are ever sent upstream.
 * Those that would change the call there are refused anyway, so that no one relies on them. An empty value (`pageSize=`) counts
 * as not given. Throws ApiError `invalid_request`.
 */
export function checkCall(
  { url, headers }: Pick<Request, 'url' | 'headers'>,
  allowed: AllowedQuery,
): ReadonlyMap<string, string> {
  const header = refusedHeaders.find(name => headers.has(name))
  if (header !== undefined) throw invalidRequest(header, `The header ${header} is not supported.`)
  const start = url.indexOf('?')
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(start < 0 ? '' : url.slice(start + 1))) {
    const isAllowed = Object.hasOwn(allowed, name) ? allowed[name] : undefined
    const shown = name.slice(0, 100)
    if (isAllowed === undefined)
      throw invalidRequest(shown, `The query parameter '${shown}' is not supported.`)
    if (values.has(name)) throw invalidRequest(shown, `The query parameter '${shown}' is given twice.`)
    if (value === '') continue
    if (!isAllowed(value))
      throw invalidRequest(shown, `The query parameter '${shown}' has an unsupported value.`)
    values.set(name, value)
  }
  return values
}

/** Printable ASCII; the SDKs need less than 200 characters of it. */
const wellFormed = /^[\x20-\x7e]{1,500}$/
/** `google-genai-sdk/3.4.0 gl-python/3.11`, and the older `genai-js/0.24.1`. */
const sdkAgent = /(?:^|\s)(?:google-gen[\w-]*|genai-[\w-]+)\//i

/**
 * Only the names of the vendor's own SDKs, since the vendor answers these in the form that their models read. Any other user agent,
 * and a malformed name, is not sent.
 */
export function readClientNames(headers: Headers): ClientNames {
  const apiClient = headers.get('x-goog-api-client') ?? ''
  const agent = headers.get('user-agent') ?? ''
  return {
    ...(wellFormed.test(apiClient) ? { 'x-goog-api-client': apiClient } : {}),
    ...(wellFormed.test(agent) && sdkAgent.test(agent) ? { 'user-agent': agent } : {}),
  }
}
