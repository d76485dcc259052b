// One call of every paid endpoint in each of its forms, for tests with a hostile vendor.
import type { Family } from '@fairgate/sandbox/hostile/families.ts'
import { sampleFiles } from '../sample-files.ts'
import { claudeModels } from '../two-kinds.ts'

export type CallForm = 'json' | 'events' | 'array' | 'file' | 'order'

export type Endpoint = {
  readonly name: string
  /** Requests that one call makes upstream. */
  readonly families: readonly Family[]
  readonly dialect: 'openai' | 'vendor'
  readonly form: CallForm
  readonly path: string
  readonly body: (prompt: string) => object | FormData
  /** True if sent with its own Idempotency-Key. */
  readonly isIdempotent?: boolean
  /** True if it accepts only words without punctuation, which changes how a fault is requested. */
  readonly takesWords?: boolean
}

const messages = (content: string) => [{ role: 'user', content }]
const contents = (text: string) => [{ role: 'user', parts: [{ text }] }]
const tools = [
  {
    type: 'function',
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
]

function form(fields: Readonly<Record<string, string>>, file: 'file' | 'image'): FormData {
  const built = new FormData()
  for (const [name, value] of Object.entries(fields)) built.append(name, value)
  const made = sampleFiles[file]?.()
  if (made !== undefined) built.append(file, made)
  return built
}

const chat =
  (model: string, more: object = {}) =>
  (prompt: string) => ({
    model,
    messages: messages(prompt),
    max_tokens: 64,
    tool_choice: 'none',
    tools,
    ...more,
  })
/** Anthropic's dialect: its errors have the members of OpenAI's and more. */
const inMessages =
  (model: string, more: object = {}) =>
  (prompt: string) => ({
    model,
    messages: messages(prompt),
    max_tokens: 64,
    tool_choice: { type: 'none' },
    tools: [{ name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }],
    thinking: { type: 'adaptive' },
    ...more,
  })
const respond =
  (more: object = {}) =>
  (input: string) => ({
    model: 'mm-2.5-flash',
    input,
    max_output_tokens: 64,
    tool_choice: 'none',
    tools: [{ type: 'function', ...tools[0]?.function }],
    ...more,
  })
const capped = { generationConfig: { maxOutputTokens: 64 } }
const relayed = (model: string, verb: string) => `/vendor/v1beta/models/${model}:${verb}`

const ownEndpoints: readonly Endpoint[] = [
  {
    name: 'chat',
    families: ['generate'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/chat/completions',
    body: chat('mm-2.5-flash'),
  },
  {
    name: 'chat-of-two',
    families: ['generate'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/chat/completions',
    body: chat('mm-2.5-flash', { n: 2 }),
  },
  {
    name: 'chat-stream',
    families: ['stream'],
    dialect: 'openai',
    form: 'events',
    path: '/v1/chat/completions',
    body: chat('mm-2.5-flash', { stream: true, stream_options: { include_usage: true } }),
  },
  {
    name: 'messages',
    families: ['generate'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/messages',
    body: inMessages('mm-2.5-flash'),
  },
  {
    name: 'messages-stream',
    families: ['generate'],
    dialect: 'openai',
    form: 'events',
    path: '/v1/messages',
    body: inMessages('mm-2.5-flash', { stream: true }),
  },
  {
    name: 'responses',
    families: ['generate'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/responses',
    body: respond(),
  },
  {
    name: 'responses-stream',
    families: ['stream'],
    dialect: 'openai',
    form: 'events',
    path: '/v1/responses',
    body: respond({ stream: true }),
  },
  {
    name: 'chat-image',
    families: ['generate'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/chat/completions',
    body: prompt => ({
      model: 'imgalias-2',
      messages: messages(prompt),
      modalities: ['image'],
      max_tokens: 2000,
    }),
  },
  {
    name: 'images-of-chat',
    families: ['generate'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/images/generations',
    body: prompt => ({ model: 'imgalias-2-lite', prompt }),
  },
  {
    name: 'images',
    families: ['predict'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/images/generations',
    body: prompt => ({ model: 'imggen-4-fast', prompt, n: 2 }),
  },
  {
    name: 'edits',
    families: ['generate'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/images/edits',
    body: prompt => form({ model: 'imgalias', prompt }, 'image'),
  },
  {
    name: 'speech',
    families: ['generate'],
    dialect: 'openai',
    form: 'file',
    path: '/v1/audio/speech',
    body: input => ({ model: 'mm-2.5-flash-preview-tts', input, voice: 'Puck', response_format: 'wav' }),
  },
  {
    name: 'music',
    families: ['generate'],
    dialect: 'openai',
    form: 'file',
    path: '/v1/audio/speech',
    body: input => ({ model: 'music-3-clip-preview', input, voice: 'default' }),
  },
  {
    name: 'transcription',
    families: ['generate'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/audio/transcriptions',
    body: prompt => form({ model: 'mm-3.5-transcribe', prompt }, 'file'),
    takesWords: true,
  },
  {
    name: 'embeddings',
    families: ['embed', 'count'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/embeddings',
    body: prompt => ({ model: 'mm-embedding-001', input: [prompt], dimensions: 8 }),
  },
  {
    name: 'videos',
    families: ['order', 'poll', 'download', 'storage'],
    dialect: 'openai',
    form: 'order',
    path: '/v1/videos',
    body: prompt => ({ model: 'video-3.1-lite-generate-001', prompt, seconds: '4' }),
  },
]

const relayEndpoints: readonly Endpoint[] = [
  {
    name: 'relay',
    families: ['generate'],
    dialect: 'vendor',
    form: 'json',
    path: relayed('mm-2.5-flash', 'generateContent'),
    body: prompt => ({ contents: contents(prompt), ...capped }),
  },
  {
    name: 'relay-events',
    families: ['stream'],
    dialect: 'vendor',
    form: 'events',
    path: `${relayed('mm-2.5-flash', 'streamGenerateContent')}?alt=sse`,
    body: prompt => ({ contents: contents(prompt), ...capped }),
  },
  {
    name: 'relay-array',
    families: ['array'],
    dialect: 'vendor',
    form: 'array',
    path: relayed('mm-2.5-flash', 'streamGenerateContent'),
    body: prompt => ({ contents: contents(prompt), ...capped }),
  },
  {
    name: 'relay-speech',
    families: ['generate'],
    dialect: 'vendor',
    form: 'json',
    path: relayed('mm-2.5-flash-preview-tts', 'generateContent'),
    body: prompt => ({ contents: contents(prompt), generationConfig: { responseModalities: ['AUDIO'] } }),
  },
  {
    name: 'relay-predict',
    families: ['predict'],
    dialect: 'vendor',
    form: 'json',
    path: relayed('imggen-4-fast', 'predict'),
    body: prompt => ({ instances: [{ prompt }], parameters: { sampleCount: 1 } }),
  },
  {
    name: 'relay-embed',
    families: ['embed', 'count'],
    dialect: 'vendor',
    form: 'json',
    path: relayed('mm-embedding-001', 'embedContent'),
    body: text => ({ content: { parts: [{ text }] } }),
  },
  {
    name: 'relay-batch',
    families: ['embed', 'count'],
    dialect: 'vendor',
    form: 'json',
    path: relayed('mm-embedding-001', 'batchEmbedContents'),
    body: text => ({ requests: [{ model: 'models/mm-embedding-001', content: { parts: [{ text }] } }] }),
  },
  {
    name: 'relay-order',
    families: ['order', 'poll', 'file', 'download', 'storage'],
    dialect: 'vendor',
    form: 'order',
    path: relayed('video-3.0-generate-001', 'predictLongRunning'),
    body: prompt => ({ instances: [{ prompt }] }),
  },
]

const otherEndpoints: readonly Endpoint[] = [
  {
    name: 'other-chat',
    families: ['openaiChat'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/chat/completions',
    body: chat('other-chat'),
  },
  {
    name: 'other-stream',
    families: ['openaiStream'],
    dialect: 'openai',
    form: 'events',
    path: '/v1/chat/completions',
    body: chat('other-chat', { stream: true }),
  },
  {
    name: 'other-embeddings',
    families: ['openaiEmbeddings'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/embeddings',
    body: prompt => ({ model: 'other-embedder', input: [prompt] }),
  },
  {
    name: 'other-images',
    families: ['openaiImages'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/images/generations',
    body: prompt => ({ model: 'other-painter', prompt }),
  },
  {
    name: 'other-edits',
    families: ['openaiImages'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/images/edits',
    body: prompt => form({ model: 'other-image', prompt }, 'image'),
  },
  {
    name: 'other-speech',
    families: ['openaiSpeech'],
    dialect: 'openai',
    form: 'file',
    path: '/v1/audio/speech',
    body: input => ({ model: 'other-speaker', input, voice: 'nova' }),
  },
  {
    name: 'other-transcription',
    families: ['openaiTranscription'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/audio/transcriptions',
    body: prompt => form({ model: 'other-writer', prompt }, 'file'),
  },
]

const claudeEndpoints: readonly Endpoint[] = [
  {
    name: 'claude-chat',
    families: ['anthropic'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/chat/completions',
    body: chat('claude-opus'),
  },
  {
    name: 'claude-stream',
    families: ['anthropicStream'],
    dialect: 'openai',
    form: 'events',
    path: '/v1/chat/completions',
    body: chat('claude-opus', { stream: true }),
  },
  {
    name: 'claude-messages',
    families: ['anthropic'],
    dialect: 'openai',
    form: 'json',
    path: '/v1/messages',
    body: inMessages('claude-opus'),
  },
  {
    name: 'claude-messages-stream',
    families: ['anthropicStream'],
    dialect: 'openai',
    form: 'events',
    path: '/v1/messages',
    body: inMessages('claude-opus', { stream: true }),
  },
]

/** The same with an Idempotency-Key, which takes another path through the server. */
const repeatable: readonly string[] = ['chat', 'chat-stream', 'speech', 'embeddings', 'relay', 'relay-events']

const plain = [...ownEndpoints, ...relayEndpoints, ...otherEndpoints, ...claudeEndpoints]

export const endpoints: readonly Endpoint[] = [
  ...plain,
  ...plain
    .filter(({ name }) => repeatable.includes(name))
    .map(endpoint => ({ ...endpoint, name: `${endpoint.name}-once`, isIdempotent: true })),
]

/** The models of the other upstreams, for a catalog. */
export const otherModels = `${claudeModels}
  other-chat:
    upstream: other
    upstream_id: gpt-sandbox
    context_limit: 100000
    max_output: 4096
    typical_output: 100
    price: { input: 1.00, cached_input: 0.10, output: 4.00, reasoning: 4.00 }
  other-embedder:
    upstream: other
    upstream_id: embedding-sandbox
    modality: embedding
    context_limit: 8192
    price: { input: 0.02 }
  other-painter:
    upstream: other
    upstream_id: image-sandbox
    modality: imggen
    context_limit: 4000
    price: { image: 0.04 }
  other-image:
    upstream: other
    upstream_id: gpt-image
    modality: image
    context_limit: 8192
    max_output: 8192
    image_tokens: { 1K: 1056 }
    price: { input: 5.00, input_image: 10.00, output: 40.00, output_image: 40.00 }
  other-speaker:
    upstream: other
    upstream_id: speech-sandbox
    modality: speech
    context_limit: 4096
    voices: [alloy, nova]
    price: { input_characters: 15.00 }
  other-writer:
    upstream: other
    upstream_id: whisper-sandbox
    modality: transcription
    context_limit: 100000
    max_output: 4096
    price: { input: 2.00, input_audio: 3.00, output: 10.00 }
`

const longestWish = 120

/** Always of one length, so that equal calls hold the same amount. */
export function writePrompt(
  { takesWords }: Pick<Endpoint, 'takesWords'>,
  wishes: { readonly fault?: string; readonly mark: string; readonly more?: string },
): string {
  const { fault, mark, more } = wishes
  if (takesWords === true) {
    const words = [...(fault === undefined ? [] : [`fault-${fault}`]), `mark-${mark}`, ''].join(' ')
    return words.padEnd(longestWish, 'x')
  }
  const switches = [
    ...(fault === undefined ? [] : [`fault=${fault}`]),
    `mark=${mark}`,
    ...(more === undefined ? [] : [more]),
  ]
  return `Waves [[sandbox: ${switches.join('; ')}]]`.padEnd(longestWish, '.')
}

export type Credential = { readonly gatewayUrl: string; readonly key: string }

export function sendCall(
  endpoint: Endpoint,
  { gatewayUrl, key }: Credential,
  prompt: string,
  options: {
    readonly idempotencyKey?: string
    readonly signal?: AbortSignal
    /** Maximum queue time for a scarce model; the server's setting if absent. */
    readonly patienceMs?: number
  } = {},
): Promise<Response> {
  const body = endpoint.body(prompt)
  const idempotencyKey =
    options.idempotencyKey ?? (endpoint.isIdempotent === true ? crypto.randomUUID() : undefined)
  return fetch(`${gatewayUrl}${endpoint.path}`, {
    method: 'POST',
    headers: {
      ...credentialOf(endpoint, key),
      ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(options.patienceMs === undefined ? {} : { 'x-gateway-queue-ms': String(options.patienceMs) }),
    },
    body: body instanceof FormData ? body : JSON.stringify(body),
    // A connection closed by both sides at the same moment would look broken.
    keepalive: false,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
}

export function credentialOf({ dialect }: Pick<Endpoint, 'dialect'>, key: string): Record<string, string> {
  return dialect === 'vendor' ? { 'x-vendor-api-key': key } : { authorization: `Bearer ${key}` }
}
