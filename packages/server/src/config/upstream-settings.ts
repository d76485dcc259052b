// Upstream settings of the settings file: time-outs and limits for all, and the additional upstreams that can serve models.
import { dirname, resolve } from 'node:path'
import Type, { type Static, type TSchema } from 'typebox'

const strict = { additionalProperties: false }
const seconds = Type.Integer({ minimum: 1, maximum: 86_400 })

const upstreamEndpoints = [
  'chat',
  'images',
  'speech',
  'music',
  'transcription',
  'embeddings',
  'videos',
] as const

type Endpoint = (typeof upstreamEndpoints)[number]

function byEndpoint<Value>(choose: (endpoint: Endpoint) => Value): Readonly<Record<Endpoint, Value>> {
  return Object.fromEntries(upstreamEndpoints.map(name => [name, choose(name)])) as Record<Endpoint, Value>
}

/** A value for each named kind of call. */
function perEndpoint<Value extends TSchema>(value: Value) {
  return Type.Object(
    byEndpoint(() => Type.Optional(value)),
    strict,
  )
}

const timeoutsSchema = perEndpoint(seconds)
const manyMebibytes = { minimum: 1, maximum: 16_384 }

export const upstreamSchema = Type.Object(
  {
    timeout_seconds: Type.Integer({ minimum: 1, maximum: 86_400, default: 600 }),
    timeouts: Type.Optional(timeoutsSchema),
    max_retries: Type.Integer({ minimum: 0, maximum: 5, default: 2 }),
    max_reply_mebibytes: Type.Integer({ minimum: 1, maximum: 1024, default: 64 }),
    max_replies: Type.Optional(perEndpoint(Type.Integer({ minimum: 1, maximum: 1024 }))),
    max_replies_together_mebibytes: Type.Integer({ ...manyMebibytes, default: 512 }),
    max_stream_mebibytes: Type.Integer({ ...manyMebibytes, default: 256 }),
    max_silence_seconds: Type.Integer({ minimum: 1, maximum: 86_400, default: 300 }),
  },
  { ...strict, default: {} },
)

const furtherSchema = Type.Object(
  {
    kind: Type.Enum(['openai', 'anthropic']),
    base_url: Type.String({ minLength: 1 }),
    api_key_env: Type.Optional(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' })),
    api_key_file: Type.Optional(Type.String({ minLength: 1 })),
    timeout_seconds: Type.Optional(seconds),
    timeouts: Type.Optional(timeoutsSchema),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    output_cap: Type.Optional(Type.Enum(['max_tokens', 'max_completion_tokens'])),
  },
  strict,
)

export const upstreamsSchema = Type.Record(Type.String(), furtherSchema, { default: {} })

export type UpstreamSettings = Static<typeof upstreamSchema>
type FurtherUpstream = Static<typeof furtherSchema>

type TimeoutSettings = Pick<FurtherUpstream, 'timeout_seconds' | 'timeouts'>

/** An order, a status check, a file's first byte: none of them waits until the video is made. */
const videoSeconds = 60

/** Milliseconds for each kind of call. A setting of the upstream itself overrides a setting for all. */
export function resolveTimeouts(
  general: Pick<UpstreamSettings, 'timeout_seconds' | 'timeouts'>,
  own: TimeoutSettings = {},
): Readonly<Record<Endpoint, number>> {
  const find = (endpoint: Endpoint): number =>
    own.timeouts?.[endpoint] ??
    own.timeout_seconds ??
    general.timeouts?.[endpoint] ??
    (endpoint === 'videos' ? videoSeconds : general.timeout_seconds)
  return byEndpoint(endpoint => find(endpoint) * 1000)
}

const mebibyte = 1024 * 1024

/** Limits on what any upstream may send, in bytes and milliseconds. */
export function resolveReplyBounds(settings: UpstreamSettings) {
  return {
    replyBytes: byEndpoint(
      endpoint => (settings.max_replies?.[endpoint] ?? settings.max_reply_mebibytes) * mebibyte,
    ),
    togetherBytes: settings.max_replies_together_mebibytes * mebibyte,
    streamBytes: settings.max_stream_mebibytes * mebibyte,
    silenceMs: settings.max_silence_seconds * 1000,
  }
}

/**
 * Checks the additional upstreams beyond their schema: names, addresses, headers. `place`: the settings file, for errors. Throws an Error that
 * names the faulty setting.
 */
export function buildUpstreams(
  place: string,
  settings: {
    readonly upstream: UpstreamSettings
    readonly upstreams: Readonly<Record<string, FurtherUpstream>>
  },
) {
  return Object.entries(settings.upstreams).map(([name, entry]) => {
    const here = `${place}: upstreams.${name}`
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
      throw new Error(
        `${here}: a name must start with a lower-case letter and have only lower-case letters, digits and -.`,
      )
    if (name === 'vendor')
      throw new Error(`${here}: "vendor" is the upstream of VENDOR_API_KEY. Choose another name.`)
    if (entry.api_key_env?.startsWith('FAIRGATE_') === true)
      throw new Error(`${here}.api_key_env: names that begin with FAIRGATE_ are Fairgate's own settings.`)
    if (entry.kind === 'anthropic' && entry.output_cap !== undefined)
      throw new Error(`${here}.output_cap: only upstreams of the kind openai have this setting.`)
    if (entry.api_key_env !== undefined && entry.api_key_file !== undefined)
      throw new Error(`${here}: set api_key_env or api_key_file, not both.`)
    return {
      name,
      kind: entry.kind,
      /** Without a trailing slash; `/chat/completions` follows, or `/v1/messages`. */
      baseUrl: readBaseUrl(here, entry),
      /** The environment variable or the file that contains its keys; both null for an upstream that needs none. */
      keyVariable: entry.api_key_env ?? null,
      keyFile: entry.api_key_file === undefined ? null : resolve(dirname(place), entry.api_key_file),
      headers: readHeaders(here, entry),
      /** The member of a chat request that caps the output. */
      outputCap: entry.output_cap ?? 'max_tokens',
      timeouts: resolveTimeouts(settings.upstream, entry),
    }
  })
}

function readBaseUrl(place: string, { kind, base_url: text }: FurtherUpstream): string {
  const url = URL.parse(text)
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === null || !isHttp || url.search !== '' || url.hash !== '')
    throw new Error(`${place}.base_url must be an http or https address without query, not "${text}".`)
  if (url.username !== '' || url.password !== '')
    throw new Error(
      `${place}.base_url must not hold credentials: name a variable in api_key_env or a file in api_key_file.`,
    )
  const address = text.replace(/\/+$/, '')
  if (kind === 'anthropic' && address.endsWith('/v1'))
    throw new Error(`${place}.base_url must not end in /v1: /v1/messages follows it.`)
  return address
}

/** Headers that Fairgate sets itself. Above all, the key cannot be set here, because secrets do not belong in files. */
const ownHeaders: readonly string[] = ['authorization', 'content-type', 'content-length', 'host']
const ownOfAnthropic: readonly string[] = [...ownHeaders, 'x-api-key', 'anthropic-version']

function readHeaders(
  place: string,
  { kind, headers = {} }: FurtherUpstream,
): Readonly<Record<string, string>> {
  const own = kind === 'anthropic' ? ownOfAnthropic : ownHeaders
  for (const [name, value] of Object.entries(headers)) {
    if (own.includes(name.toLowerCase())) throw new Error(`${place}.headers: ${name} is set by Fairgate.`)
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
      throw new Error(`${place}.headers: ${name} is not a valid header.`)
  }
  return headers
}
