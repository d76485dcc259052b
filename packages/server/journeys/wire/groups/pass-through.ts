// The vendor's own API: every method, its streams in both forms, and the refusals in the vendor's format.
import type { Wire } from '../start-wire.ts'
import { recordMoney } from './record-money.ts'
import { pixelBase64, rawReply } from './samples.ts'

const root = '/vendor/v1beta'
const said = (text: string) => ({ contents: [{ role: 'user', parts: [{ text }] }] })
const capped = (text: string, config: object = {}) => ({
  ...said(text),
  generationConfig: { maxOutputTokens: 32, ...config },
})

export async function recordPassThrough(wire: Wire): Promise<void> {
  const key = await wire.team(
    'relay',
    { rpm_limit: 1000, tpm_limit: 100_000_000 },
    { aliases: { mine: 'mm-2.5-flash' } },
  )
  const post = (
    name: string,
    path: string,
    body: object | string,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    wire.ask(name, `POST ${root}/${path}`, {
      vendorKey: key,
      body,
      headers: typeof body === 'string' ? { 'Content-Type': 'application/json', ...headers } : headers,
    })
  const get = (name: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
    wire.ask(name, `GET ${root}/${path}`, { vendorKey: key, headers })

  const flash = 'models/mm-2.5-flash:generateContent'
  await post('generate', flash, capped('Hello'))
  await wire.ask('generate by the other version', `POST /vendor/v1/${flash}`, {
    vendorKey: key,
    body: capped('Hello'),
  })
  await post('generate by an alias of the key', 'models/mine:generateContent', capped('Hello'))
  await post(
    'generate, spelled and spaced as a client likes',
    flash,
    '{ "contents" : [ {"parts":[{"text":"Hello"}]} ],\n "generation_config":{"max_output_tokens":8}}',
  )
  await wire.ask('generate with the key in the header of the vendor', `POST ${root}/${flash}`, {
    headers: { 'x-goog-api-key': key, 'x-goog-api-client': 'google-genai-sdk/2.32.0 gl-node/v20' },
    body: capped('Hello'),
  })
  await post('generate two candidates', flash, capped('Hello', { candidateCount: 2, temperature: 0.5 }))
  await post(
    'generate with reasoning and cache',
    flash,
    capped('Hello [[sandbox: thinkingTokens=9; cachedTokens=3]]', { thinkingConfig: { thinkingBudget: 16 } }),
  )
  await post('generate with a search', flash, { ...capped('News?'), tools: [{ googleSearch: {} }] })
  await post('generate a function call', flash, {
    ...capped('Weather?'),
    tools: [
      {
        functionDeclarations: [
          { name: 'weather', parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } } },
        ],
      },
    ],
  })
  await post('generate speech', 'models/mm-2.5-flash-preview-tts:generateContent', {
    ...said('Hi'),
    generationConfig: {
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    },
  })
  await post('generate an image from an image', 'models/imgalias-2:generateContent', {
    contents: [
      { parts: [{ text: 'Make it night' }, { inline_data: { mime_type: 'image/png', data: pixelBase64 } }] },
    ],
    generationConfig: {
      responseModalities: ['IMAGE'],
      imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
    },
  })
  await post(
    'generate music',
    'models/music-3-clip-preview:generateContent',
    said('Jazz [[sandbox: mediaSeconds=1]]'),
  )
  await post('the prompt is blocked', flash, capped('Hello [[sandbox: blockPrompt=SAFETY]]'))
  await post('no usage is reported', flash, capped('Hello [[sandbox: noUsage]]'))

  const stream = 'models/mm-2.5-flash:streamGenerateContent'
  await post('stream of events', `${stream}?alt=sse`, capped('Hello [[sandbox: chunks=3]]'))
  await post(
    'stream of events, other line ends',
    `${stream}?alt=sse`,
    capped('Hello [[sandbox: chunks=3; separator=lf]]'),
  )
  await post('stream as an array', stream, capped('Hello [[sandbox: chunks=3]]'))
  await post('stream of speech', 'models/mm-2.5-flash-preview-tts:streamGenerateContent?alt=sse', {
    ...said('Hi'),
    generationConfig: { responseModalities: ['AUDIO'] },
  })
  await post(
    'stream that fails midway',
    `${stream}?alt=sse`,
    capped('Hello [[sandbox: errorInStream=2; chunks=4]]'),
  )
  await post('array that fails midway', stream, capped('Hello [[sandbox: errorInStream=2; chunks=4]]'))
  await post('stream that ends early', `${stream}?alt=sse`, capped('Hello [[sandbox: endEarly=2; chunks=4]]'))
  await post('stream without usage', `${stream}?alt=sse`, capped('Hello [[sandbox: noUsage; chunks=2]]'))
  await post('stream that is refused', `${stream}?alt=sse`, capped('[[sandbox: error=400]]'))
  await post('stream of an unknown form', `${stream}?alt=proto`, capped('Hello'))

  await post('count', 'models/mm-2.5-flash:countTokens', said('Hello there'))
  await post('count a whole request', 'models/mm-2.5-flash:countTokens', {
    generateContentRequest: { model: 'models/mm-2.5-flash', ...said('Hello there') },
  })
  await post('embed', 'models/mm-embedding-001:embedContent', {
    content: { parts: [{ text: 'One text' }] },
    outputDimensionality: 4,
  })
  await post('embed a batch', 'models/mm-embedding-001:batchEmbedContents', {
    requests: ['One', 'Two'].map(text => ({
      model: 'models/mm-embedding-001',
      content: { parts: [{ text }] },
      outputDimensionality: 4,
    })),
  })
  await post('predict', 'models/imggen-4:predict', {
    instances: [{ prompt: 'A cat' }],
    parameters: { sampleCount: 2, aspectRatio: '16:9' },
  })
  await post('predict, one filtered out', 'models/imggen-4:predict', {
    instances: [{ prompt: 'A cat [[sandbox: raiFiltered=1]]' }],
    parameters: { sampleCount: 2, includeRaiReason: true },
  })
  await get('models', 'models?pageSize=3')
  await get('all models', 'models')
  await get('a model', 'models/mm-2.5-flash')
  await get('a model by alias', 'models/imgalias-2')
  await get('an unknown model', 'models/nothing')
  await get('an unknown page', 'models?pageToken=nothing')

  await recordRefusals(wire, key)
  recordMoney(wire, 'relay')
}

/** The same without `/vendor`, as Gemini CLI and the vendor's clients call it: other credentials, and more details in refusals. */
export async function recordBarePaths(wire: Wire): Promise<void> {
  const key = await wire.team('bare', { rpm_limit: 1000 })
  const poor = await wire.team('bare-poor', { max_budget: 0.000001 })
  const slow = await wire.team('bare-slow', { rpm_limit: 1 })
  const vendor = (own: string) => ({ headers: { 'x-goog-api-key': own } })
  const body = capped('Hello')
  const flash = '/models/mm-2.5-flash'
  const generate = `POST /v1beta${flash}:generateContent`
  await wire.ask('generate', generate, { ...vendor(key), body })
  await wire.ask('generate by the other version', generate.replace('v1beta', 'v1'), { ...vendor(key), body })
  await wire.ask('the key as a bearer token', generate, { bearer: key, body })
  await wire.ask('the key twice', generate, { bearer: key, ...vendor(key), body })
  await wire.ask('stream of events', `POST /v1beta${flash}:streamGenerateContent?alt=sse`, {
    ...vendor(key),
    body: capped('Hello [[sandbox: chunks=2]]'),
  })
  await wire.ask('count', `POST /v1beta${flash}:countTokens`, { ...vendor(key), body: said('Hello') })
  await wire.ask(
    'a model by the name that Gemini CLI insists on',
    'GET /v1beta/models/gemini-3-flash-preview',
    {
      ...vendor(key),
    },
  )
  await wire.ask('no key', generate, { body })
  await wire.ask('a wrong key', generate, { ...vendor('sk-nobody'), body })
  await wire.ask('two keys', generate, { bearer: poor, ...vendor(key), body })
  await wire.ask('the budget is used up', generate, { ...vendor(poor), body })
  await wire.askQuietly(generate, { ...vendor(slow), body })
  await wire.ask('the window is full', generate, { ...vendor(slow), body })
  await wire.ask('another path', 'POST /v1beta/tunedModels', { ...vendor(key), body })
  recordMoney(wire, 'bare')
}

async function recordRefusals(wire: Wire, key: string): Promise<void> {
  const flash = 'models/mm-2.5-flash:generateContent'
  const post = (name: string, path: string, body: object | string) =>
    wire.ask(name, `POST ${root}/${path}`, {
      vendorKey: key,
      body,
      headers: typeof body === 'string' ? { 'Content-Type': 'application/json' } : {},
    })
  await wire.ask('no key', `POST ${root}/${flash}`, { body: capped('Hello') })
  await wire.ask('a wrong key', `POST ${root}/${flash}`, { vendorKey: 'sk-nobody', body: capped('Hello') })
  await wire.ask('the key as a bearer token', `POST ${root}/${flash}`, { bearer: key, body: capped('Hello') })
  await wire.ask('the key in the address', `POST ${root}/${flash}?key=${key}`, { body: capped('Hello') })
  await post('malformed JSON', flash, '{"contents":')
  await post('a wrong type', flash, { contents: 7 })
  await post('an unknown member', flash, { ...said('Hello'), cachedContent: 'cachedContents/1' })
  await post('a built-in tool', flash, { ...said('Hello'), tools: [{ codeExecution: {} }] })
  await post('another model in the body', flash, { ...said('Hello'), model: 'models/mm-2.5-pro' })
  await post('generate by an unknown model', 'models/nothing:generateContent', said('Hello'))
  await post('a model of another upstream', 'models/own-chat:generateContent', said('Hello'))
  await post('a verb that the model has not', 'models/mm-2.5-flash:predict', {
    instances: [{ prompt: 'A cat' }],
  })
  await post('an unknown verb', 'models/mm-2.5-flash:tuneModel', {})
  await post('images of a text model', flash, capped('A cat', { responseModalities: ['IMAGE'] }))
  await post('an unknown query', `${flash}?fields=name`, said('Hello'))
  await wire.ask('another method', `GET ${root}/${flash}`, { vendorKey: key })
  await wire.ask('another path', `GET ${root}/tunedModels`, { vendorKey: key })
  await wire.ask('another content type', `POST ${root}/${flash}`, {
    vendorKey: key,
    headers: { 'Content-Type': 'text/plain' },
    body: 'Hello',
  })
  for (const status of [400, 401, 403, 404, 429, 500, 503]) {
    await post(`upstream ${status}`, flash, capped(`[[sandbox: error=${status}; retryDelay=9s]]`))
  }
  wire.answerNext(rawReply('200 OK', 'application/json', '<html>{'))
  await post('upstream sends garbage', flash, capped('Hello'))
  wire.answerNext(rawReply('302 Found', 'text/plain', '', 'Location: http://127.0.0.1:9/'))
  await post('upstream redirects', flash, capped('Hello'))
  wire.answerNext(rawReply('400 Bad Request', 'text/plain', 'no'))
  await post('upstream fails without JSON', flash, capped('Hello'))
  wire.answerNext(rawReply('200 OK', 'text/event-stream', 'data: {"candidates":\n\n'))
  await post('upstream streams garbage', 'models/mm-2.5-flash:streamGenerateContent?alt=sse', capped('Hello'))

  const poor = await wire.team('relay-poor', { max_budget: 0.000_001 })
  await wire.ask('no budget', `POST ${root}/${flash}`, { vendorKey: poor, body: capped('Hello') })
  const slow = await wire.team('relay-slow', { rpm_limit: 1 })
  await wire.ask('the one request of a minute', `POST ${root}/${flash}`, {
    vendorKey: slow,
    body: capped('Hello'),
  })
  await wire.ask('one request too many', `POST ${root}/${flash}`, { vendorKey: slow, body: capped('Hello') })
}
