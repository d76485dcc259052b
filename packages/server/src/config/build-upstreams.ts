// The further upstreams of the settings file, checked beyond their schema: names, addresses, headers.

import type { Settings } from './settings-file.ts'
import { type FurtherUpstream, resolveTimeouts } from './upstream-settings.ts'

export type UpstreamConfig = {
  readonly name: string
  readonly kind: 'openai'
  /** Without a trailing slash; `/chat/completions` follows. */
  readonly baseUrl: string
  /** The environment variable that holds its keys; null for an upstream that asks for none. */
  readonly keyVariable: string | null
  readonly headers: Readonly<Record<string, string>>
  /** The member of a chat request that says how much may be written. */
  readonly outputCap: 'max_tokens' | 'max_completion_tokens'
  readonly timeouts: ReturnType<typeof resolveTimeouts>
}

/** `place`: the settings file, for errors. Throws an Error that names the setting at fault. */
export function buildUpstreams(place: string, settings: Settings): UpstreamConfig[] {
  return Object.entries(settings.upstreams).map(([name, entry]) => {
    const here = `${place}: upstreams.${name}`
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
      throw new Error(`${here}: a name is of small letters, digits and -, and begins with a letter.`)
    if (name === 'vendor')
      throw new Error(`${here}: "vendor" is the upstream of VENDOR_API_KEY. Choose another name.`)
    if (entry.api_key_env?.startsWith('FAIRGATE_') === true)
      throw new Error(`${here}.api_key_env: names that begin with FAIRGATE_ are Fairgate's own settings.`)
    return {
      name,
      kind: entry.kind,
      baseUrl: readBaseUrl(here, entry.base_url),
      keyVariable: entry.api_key_env ?? null,
      headers: readHeaders(here, entry),
      outputCap: entry.output_cap ?? 'max_tokens',
      timeouts: resolveTimeouts(settings.upstream, entry),
    }
  })
}

function readBaseUrl(place: string, text: string): string {
  const url = URL.parse(text)
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === null || !isHttp || url.search !== '' || url.hash !== '')
    throw new Error(`${place}.base_url must be an http or https address without query, not "${text}".`)
  if (url.username !== '' || url.password !== '')
    throw new Error(`${place}.base_url must not hold credentials: name a variable in api_key_env.`)
  return text.replace(/\/+$/, '')
}

/** What the gateway itself writes cannot be set, the key least of all: files are no place for secrets. */
const ownHeaders: readonly string[] = ['authorization', 'content-type', 'content-length', 'host']

function readHeaders(place: string, { headers = {} }: FurtherUpstream): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.includes(name.toLowerCase()))
      throw new Error(`${place}.headers: ${name} is set by Fairgate.`)
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
      throw new Error(`${place}.headers: ${name} is not a valid header.`)
  }
  return headers
}
