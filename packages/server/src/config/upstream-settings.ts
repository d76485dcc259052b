// What the settings file says of upstreams: time-outs for all, and the further upstreams that models can be served by.
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

/** A value for some kinds of calls. */
function perEndpoint<Value extends TSchema>(value: Value) {
  return Type.Object(
    Object.fromEntries(upstreamEndpoints.map(name => [name, Type.Optional(value)])) as Record<
      Endpoint,
      ReturnType<typeof Type.Optional<Value>>
    >,
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
    kind: Type.Literal('openai'),
    base_url: Type.String({ minLength: 1 }),
    api_key_env: Type.Optional(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' })),
    timeout_seconds: Type.Optional(seconds),
    timeouts: Type.Optional(timeoutsSchema),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    output_cap: Type.Optional(Type.Enum(['max_tokens', 'max_completion_tokens'])),
  },
  strict,
)

export const upstreamsSchema = Type.Record(Type.String(), furtherSchema, { default: {} })

export type UpstreamSettings = Static<typeof upstreamSchema>
export type FurtherUpstream = Static<typeof furtherSchema>

type TimeoutSettings = Pick<FurtherUpstream, 'timeout_seconds' | 'timeouts'>

/** An order, a look, a file's first byte: none of them waits for the video to be made. */
const videoSeconds = 60

/** Milliseconds for each kind of call. What an upstream says of itself comes before what is said of all. */
export function resolveTimeouts(
  general: Pick<UpstreamSettings, 'timeout_seconds' | 'timeouts'>,
  own: TimeoutSettings = {},
): Readonly<Record<Endpoint, number>> {
  const find = (endpoint: Endpoint): number =>
    own.timeouts?.[endpoint] ??
    own.timeout_seconds ??
    general.timeouts?.[endpoint] ??
    (endpoint === 'videos' ? videoSeconds : general.timeout_seconds)
  return Object.fromEntries(upstreamEndpoints.map(name => [name, find(name) * 1000])) as Record<
    Endpoint,
    number
  >
}

const mebibyte = 1024 * 1024

/** Bytes and milliseconds of what any upstream may send. */
export function resolveReplyBounds(settings: UpstreamSettings) {
  const find = (endpoint: Endpoint): number =>
    (settings.max_replies?.[endpoint] ?? settings.max_reply_mebibytes) * mebibyte
  return {
    replyBytes: Object.fromEntries(upstreamEndpoints.map(name => [name, find(name)])) as Record<
      Endpoint,
      number
    >,
    togetherBytes: settings.max_replies_together_mebibytes * mebibyte,
    streamBytes: settings.max_stream_mebibytes * mebibyte,
    silenceMs: settings.max_silence_seconds * 1000,
  }
}
