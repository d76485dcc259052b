// suite: 20 s
// Whatever unknown member a client sends, at the root or deeper, in any dialect: the upstream gets the same request as without it, or
// none. Shown to fail on a chat route that used its body as conversation: there `{"thinking": {"isShown": true}}` steered the model.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { speechRequestSchema } from '@fairgate/contracts/audio/speech-request.ts'
import { transcriptionRequestSchema } from '@fairgate/contracts/audio/transcription-request.ts'
import { chatRequestSchema } from '@fairgate/contracts/chat/request.ts'
import { embeddingsRequestSchema } from '@fairgate/contracts/embeddings/request.ts'
import { geminiEmbedBatchSchema, geminiEmbedSchema } from '@fairgate/contracts/gemini/embed-request.ts'
import { geminiCountSchema, geminiGenerateSchema } from '@fairgate/contracts/gemini/generate-request.ts'
import { geminiLongRunningSchema } from '@fairgate/contracts/gemini/long-running-request.ts'
import { geminiPredictSchema } from '@fairgate/contracts/gemini/predict-request.ts'
import { imageEditRequestSchema } from '@fairgate/contracts/images/edit-request.ts'
import { imageRequestSchema } from '@fairgate/contracts/images/request.ts'
import { countTokensRequestSchema, messagesRequestSchema } from '@fairgate/contracts/messages/request.ts'
import { responsesRequestSchema } from '@fairgate/contracts/responses/request.ts'
import { videoRequestSchema } from '@fairgate/contracts/videos/request.ts'
import fc from 'fast-check'
import { sampleFiles } from './testing/sample-files.ts'
import { type Fairgate, startFairgate, upstreamKey } from './testing/start-fairgate.ts'

const root = resolve(import.meta.dir, '../../..')
const readSource = (path: string) => readFileSync(resolve(root, path), 'utf8')

/** The shipped models, and one of an OpenAI-compatible server. */
const models = readSource('config/models.yaml').replace(
  /^models:$/m,
  `models:
  gpt-sandbox:
    upstream: own
    upstream_id: gpt-sandbox
    context_limit: 100000
    max_output: 4096
    reasoning: level
    price: { input: 1.00, cached_input: 0.10, output: 4.00, reasoning: 4.00 }`,
)

/** Every member of the types between endpoints and upstreams. */
const internalNames = ['port.ts', 'media-port.ts', 'relay-port.ts'].flatMap(file =>
  [...readSource(`packages/server/src/upstream/${file}`).matchAll(/readonly (\w+)\??:/g)].map(
    ([, name = '']) => name,
  ),
)

let fairgate: Fairgate
let key: string
let upstreamRequests: string[] = []
const recorder = Bun.serve({
  port: 0,
  fetch: async request => {
    const { pathname, search } = new URL(request.url)
    const body = await request.text()
    if (request.method === 'POST') upstreamRequests.push(`${pathname}${search} ${body}`)
    const { method, headers } = request
    return fetch(`${fairgate.sandbox.url}${pathname}${search}`, {
      method,
      headers,
      ...(method === 'POST' ? { body } : {}),
    })
  },
})
beforeAll(async () => {
  fairgate = await startFairgate({
    models,
    settings: `upstreams:\n  own: { kind: openai, base_url: '${recorder.url}openai/v1', api_key_env: OWN_KEY }`,
    variables: { VENDOR_BASE_URL: recorder.url.origin, OWN_KEY: upstreamKey },
  })
  key = await fairgate.manage.team('curious', { max_budget: 100_000 })
})
afterAll(async () => {
  await fairgate.stop()
  await recorder.stop(true)
})

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

type Dialect = {
  readonly path: string
  readonly schema: object
  readonly body: object
  readonly isForm?: true
}

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const tool = { type: 'function', function: { name: 'weather', description: 'Of a city', parameters } }
const chat = {
  model: 'mm-2.5-flash',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'Rain' },
  ],
  tools: [tool],
  tool_choice: { type: 'function', function: { name: 'weather' } },
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: parameters } },
  stream_options: {},
  max_tokens: 100,
}
const messages = {
  model: 'mm-2.5-flash',
  max_tokens: 4000,
  system: [{ type: 'text', text: 'Be brief.' }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'weather', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'Rain' }] },
  ],
  tools: [{ name: 'weather', input_schema: parameters }],
  tool_choice: { type: 'auto' },
  thinking: { type: 'enabled', budget_tokens: 1024 },
  output_config: { effort: 'low' },
}
const { max_tokens: _cap, ...counted } = messages
const responses = {
  model: 'mm-2.5-flash',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
    { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: 'Rain' },
  ],
  tools: [{ type: 'function', name: 'weather', parameters }],
  reasoning: { effort: 'low' },
  text: { format: { type: 'text' } },
  max_output_tokens: 100,
}
const generate = {
  contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  toolConfig: {},
  generationConfig: { maxOutputTokens: 100 },
}
const vendorPath = (model: string, verb: string) => `/vendor/v1beta/models/${model}:${verb}`
const embed = { content: { parts: [{ text: 'Hello' }] } }

const dialects: Readonly<Record<string, Dialect>> = {
  chat: { path: '/v1/chat/completions', schema: chatRequestSchema, body: chat },
  'chat of an OpenAI upstream': {
    path: '/v1/chat/completions',
    schema: chatRequestSchema,
    body: { ...chat, model: 'gpt-sandbox' },
  },
  'streamed chat': {
    path: '/v1/chat/completions',
    schema: chatRequestSchema,
    body: { ...chat, stream: true },
  },
  messages: { path: '/v1/messages', schema: messagesRequestSchema, body: messages },
  'messages of an OpenAI upstream': {
    path: '/v1/messages',
    schema: messagesRequestSchema,
    body: { ...messages, model: 'gpt-sandbox' },
  },
  count_tokens: { path: '/v1/messages/count_tokens', schema: countTokensRequestSchema, body: counted },
  responses: { path: '/v1/responses', schema: responsesRequestSchema, body: responses },
  'responses of an OpenAI upstream': {
    path: '/v1/responses',
    schema: responsesRequestSchema,
    body: { ...responses, model: 'gpt-sandbox' },
  },
  embeddings: {
    path: '/v1/embeddings',
    schema: embeddingsRequestSchema,
    body: { model: 'mm-embedding-001', input: 'Hello' },
  },
  images: {
    path: '/v1/images/generations',
    schema: imageRequestSchema,
    body: { model: 'imggen-4', prompt: 'A lighthouse' },
  },
  'image edits': {
    path: '/v1/images/edits',
    schema: imageEditRequestSchema,
    body: { model: 'imgalias-2', prompt: 'Make it blue' },
    isForm: true,
  },
  speech: {
    path: '/v1/audio/speech',
    schema: speechRequestSchema,
    body: { model: 'mm-2.5-flash-preview-tts', input: 'Good morning.', voice: 'Zephyr' },
  },
  transcriptions: {
    path: '/v1/audio/transcriptions',
    schema: transcriptionRequestSchema,
    body: { model: 'mm-3.5-transcribe-preview' },
    isForm: true,
  },
  videos: {
    path: '/v1/videos',
    schema: videoRequestSchema,
    body: { model: 'video-3.1-lite-generate-001', prompt: 'Waves', seconds: '4' },
  },
  generateContent: {
    path: vendorPath('mm-2.5-flash', 'generateContent'),
    schema: geminiGenerateSchema,
    body: generate,
  },
  countTokens: {
    path: vendorPath('mm-2.5-flash', 'countTokens'),
    schema: geminiCountSchema,
    body: { contents: generate.contents },
  },
  embedContent: {
    path: vendorPath('mm-embedding-001', 'embedContent'),
    schema: geminiEmbedSchema,
    body: embed,
  },
  batchEmbedContents: {
    path: vendorPath('mm-embedding-001', 'batchEmbedContents'),
    schema: geminiEmbedBatchSchema,
    body: { requests: [{ ...embed, model: 'models/mm-embedding-001' }] },
  },
  predict: {
    path: vendorPath('imggen-4', 'predict'),
    schema: geminiPredictSchema,
    body: { instances: [{ prompt: 'A lighthouse' }], parameters: { sampleCount: 1 } },
  },
  predictLongRunning: {
    path: vendorPath('video-3.0-generate-001', 'predictLongRunning'),
    schema: geminiLongRunningSchema,
    body: { instances: [{ prompt: 'Waves' }], parameters: {} },
  },
}

/** Sends a body; returns the status and the upstream's requests. */
async function send({ path, isForm }: Dialect, body: object) {
  upstreamRequests = []
  const form = new FormData()
  if (isForm) {
    for (const [name, value] of Object.entries(body))
      form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    const file = path.endsWith('edits') ? 'image' : 'file'
    form.set(file, sampleFiles[file]?.() ?? '')
  }
  const response = await fetch(fairgate.gatewayUrl + path, {
    method: 'POST',
    headers: {
      ...(path.startsWith('/vendor') ? { 'x-vendor-api-key': key } : { authorization: `Bearer ${key}` }),
      ...(isForm ? {} : { 'content-type': 'application/json' }),
    },
    body: isForm ? form : JSON.stringify(body),
  })
  await response.text()
  return { status: response.status, upstream: upstreamRequests }
}

/** An object of the body whose members a schema lists. */
type Place = { readonly path: readonly (string | number)[]; readonly known: ReadonlySet<string> }

function flatten(schema: Schema): readonly Schema[] {
  return schema.anyOf?.flatMap(flatten) ?? [schema]
}

/** Objects without listed members, such as JSON Schemas of tools, are the client's own and pass through. */
function listPlaces(schemas: readonly Schema[], value: unknown, path: Place['path'] = []): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const branches = schemas.flatMap(flatten)
  if (Array.isArray(value)) {
    const items = branches.flatMap(({ items }) => items ?? [])
    return value.flatMap((item, index) => listPlaces(items, item, [...path, index]))
  }
  const listed = branches.flatMap(({ properties }) => (properties === undefined ? [] : [properties]))
  if (listed.length === 0) return []
  const inside = Object.entries(value).flatMap(([name, member]) =>
    listPlaces(
      listed.flatMap(properties => (Object.hasOwn(properties, name) ? (properties[name] ?? []) : [])),
      member,
      [...path, name],
    ),
  )
  return [{ path, known: new Set(listed.flatMap(properties => Object.keys(properties))) }, ...inside]
}

/** A copy with one more member; `__proto__` becomes a member like any other. */
function addMember(value: unknown, [step, ...rest]: Place['path'], name: string, member: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => (index === step ? addMember(item, rest, name, member) : item))
  const copy = Object.fromEntries(
    Object.entries(Object(value)).map(([each, inner]) => [
      each,
      each === step ? addMember(inner, rest, name, member) : inner,
    ]),
  )
  if (step === undefined)
    Object.defineProperty(copy, name, { value: member, enumerable: true, configurable: true })
  return copy
}

const names = fc.oneof(
  fc.constantFrom(...new Set(internalNames)),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'thinking', 'model_id'),
  fc.constantFrom('thinkingConfig', 'generationConfig', 'extra_body', 'place', 'upstreamId', 'cachedContent'),
  fc.string({ maxLength: 12 }),
)
const members = names.map(name => [name])
/** What steered a model once. */
const steering = { isShown: true, budget: 20_000 }
const values = fc.oneof(
  fc.constantFrom<unknown>(
    steering,
    { budget: 1e99 },
    { __proto__: null, isShown: true },
    ['image'],
    [{ request: {}, model: {} }],
  ),
  fc.constantFrom<unknown>(1e99, -1, 0, 2 ** 53, true, null, '', 'auto', 'mm-3-pro-image'),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Proto-JSON knows each name in two spellings. */
function isUnknown({ known }: Place, name: string): boolean {
  const camel = name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return !known.has(name) && !known.has(camel)
}

for (const [name, dialect] of Object.entries(dialects)) {
  test(`${name}: an unknown member changes nothing upstream`, async () => {
    const plain = await send(dialect, dialect.body)
    expect(plain.status).toBe(200)
    expect(plain.upstream).not.toEqual([])
    const places = listPlaces([JSON.parse(JSON.stringify(dialect.schema)) as Schema], dialect.body)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), members, values, async (place, given, value) => {
        const unknown = given.filter(member => isUnknown(place, member))
        // The pass-through relays bytes, and to the vendor null means "not given" in every member.
        fc.pre(unknown.length > 0 && (value !== null || !dialect.path.startsWith('/vendor/')))
        const body = unknown.reduce<object>(
          (changed, member) => Object(addMember(changed, place.path, member, value)),
          dialect.body,
        )
        const { status, upstream } = await send(dialect, body)
        if (status === 400) expect(upstream).toEqual([])
        else expect({ status, upstream }).toEqual(plain)
      }),
      {
        numRuns: places.length + 60,
        examples: places.map((place): [Place, string[], unknown] => [place, internalNames, steering]),
      },
    )
  })
}

test('the names of internal members were found', () => {
  expect(internalNames).toEqual(expect.arrayContaining(['isShown', 'budget', 'outputCap', 'fallbacks']))
})
