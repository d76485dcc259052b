// suite: 7 s
// Pass-through refusals, in the vendor's format: requests that hide usage, reach unpriced features, or can be read in two ways.
// Shown to fail by leaving out, one by one, the checks of repeated names, spellings, references, headers, models and the origin of errors.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createPassThroughCaller, type GeminiError, say } from './testing/pass-through-caller.ts'
import { type Fairgate, startFairgate, upstreamKey } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let fairgate: Fairgate
let key: string
let vendor: ReturnType<typeof createPassThroughCaller>
beforeAll(async () => {
  fairgate = await startFairgate()
  key = await fairgate.manage.team('tight', { max_budget: 100 })
  vendor = createPassThroughCaller(fairgate, key)
})
afterAll(() => fairgate.stop())

const flash = 'models/mm-2.5-flash:generateContent'

/** Checks for a refusal in the vendor's format, before any upstream request. */
async function expectRefused(
  send: () => Promise<Response>,
  status: number,
  name: string,
  reason = 'invalid_request',
): Promise<GeminiError['error']> {
  fairgate.sandbox.resetCounters()
  const response = await send()
  const { error } = (await response.json()) as GeminiError
  expect([response.status, error.code, error.status]).toEqual([status, status, name])
  expect(error.details?.[0]).toEqual({
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'fairgate',
  } as object)
  expect(response.headers.get('x-gateway-call-id')).not.toBeNull()
  expect(fairgate.sandbox.counters()).toMatchObject({ calls: 0, counted: 0 })
  return error
}

const send = (path: string, init: RequestInit = {}) =>
  fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    body: init.method === 'GET' ? null : JSON.stringify(say('Hi')),
    ...init,
    headers: { 'content-type': 'application/json', 'x-vendor-api-key': key, ...init.headers },
  })

describe('paths', () => {
  test.each([
    ['/vendor/v1beta/models/mm-2.5-flash:generateContent:generateContent'],
    ['/vendor/v1beta/models/mm-2.5-flash:GENERATECONTENT'],
    ['/vendor/v1beta/models/mm-2.5-flash:generateContent/'],
    ['/vendor/v1beta/models/a/b:generateContent'],
    ['/vendor/v1beta/models/..%2fcachedContents:generateContent:x'],
    ['/vendor/v1beta//models/mm-2.5-flash:generateContent'],
    ['/vendor/v1alpha/models/mm-2.5-flash:generateContent'],
    ['/vendor/v1/v1beta/models/mm-2.5-flash:generateContent'],
    ['/vendor/'],
    ['/%76endor/v1beta/nothing'],
  ])('%s does not exist', async path => {
    await expectRefused(() => send(path), 404, 'NOT_FOUND', 'not_found')
  })

  test.each([
    ['/vendor/v1beta/models/mm-2.5-flash:batchGenerateContent'],
    ['/vendor/v1beta/models/mm-2.5-flash:bidiGenerateContent'],
    ['/vendor/v1beta/cachedContents'],
    ['/vendor/v1beta/tunedModels/x:generateContent'],
    ['/vendor/v1beta/batches'],
    ['/vendor/v1beta/interactions'],
    ['/vendor/v1beta/auth_tokens'],
    ['/vendor/v1beta/fileSearchStores'],
  ])('%s is not offered', async path => {
    await expectRefused(() => send(path), 404, 'NOT_FOUND', 'not_offered')
  })

  test.each([
    ['..%2f..%2fv1beta%2fmodels%2fgemini-2.5-flash'],
    ['gemini-2.5-flash'],
    ['models%2Fmm-2.5-flash'],
    ['mm-2.5-flash%00'],
    ['mm-2.5-flash%2e'],
    ['%6dm-2.5-flashx'],
    ['__proto__'],
  ])('the model %s does not exist', async model => {
    await expectRefused(
      () => send(`/vendor/v1beta/models/${model}:generateContent`),
      404,
      'NOT_FOUND',
      'model_not_found',
    )
  })

  test.each([['GET'], ['PUT'], ['PATCH'], ['DELETE']])('%s on a method is refused', async method => {
    const ask = () =>
      fetch(`${fairgate.gatewayUrl}/vendor/v1beta/${flash}`, { method, headers: { 'x-vendor-api-key': key } })
    await expectRefused(ask, 405, 'INVALID_ARGUMENT', 'method_not_allowed')
  })

  test('a method after an encoded colon is unknown', async () => {
    const path = '/vendor/v1beta/models/mm-2.5-flash%3AgenerateContent'
    await expectRefused(() => send(path), 405, 'INVALID_ARGUMENT', 'method_not_allowed')
    await expectRefused(() => send(path, { method: 'GET' }), 404, 'NOT_FOUND', 'model_not_found')
  })

  test('a method cannot call a model of another kind', async () => {
    for (const [model, verb] of [
      ['imggen-4', 'generateContent'],
      ['mm-embedding-001', 'generateContent'],
      ['mm-2.5-flash', 'predict'],
      ['imgalias-2', 'predict'],
      ['mm-2.5-flash', 'embedContent'],
      ['music-3-clip-preview', 'batchEmbedContents'],
      ['imggen-4', 'countTokens'],
    ]) {
      await expectRefused(() => send(`/vendor/v1beta/models/${model}:${verb}`), 400, 'INVALID_ARGUMENT')
    }
  })
})

describe('the query', () => {
  test.each([
    ['fields=candidates'],
    ['$fields=candidates'],
    ['%24fields=candidates'],
    ['key=sk-x'],
    ['access_token=x'],
    ['oauth_token=x'],
    ['prettyPrint=true'],
    ['$alt=json'],
    ['$.xgafv=2'],
    ['callback=x'],
    ['quotaUser=x'],
    ['uploadType=media'],
    ['$httpMethod=GET'],
    ['alt=sse'],
    ['alt=media'],
    ['alt=proto'],
    ['alt=json&alt=sse'],
    ['pageSize=1'],
    ['ALT=json'],
    ['alt=json&fields=candidates'],
  ])('%s is refused', async query => {
    await expectRefused(() => send(`/vendor/v1beta/${flash}?${query}`), 400, 'INVALID_ARGUMENT')
  })

  test.each([['pageSize=-1'], ['pageSize=x'], ['pageToken=x'], ['pageSize=1&pageSize=2'], ['filter=x']])(
    'a list with %s is refused',
    async query => {
      const ask = () => send(`/vendor/v1beta/models?${query}`, { method: 'GET' })
      await expectRefused(ask, 400, 'INVALID_ARGUMENT')
    },
  )
})

test.each([
  ['x-goog-fieldmask', 'candidates'],
  ['X-Goog-FieldMask', 'candidates'],
  ['x-http-method-override', 'GET'],
  ['x-goog-user-project', 'other'],
])('the header %s is refused', async (name, value) => {
  await expectRefused(
    () => send(`/vendor/v1beta/${flash}`, { headers: { [name]: value } }),
    400,
    'INVALID_ARGUMENT',
  )
})

test("meaningless headers of the vendor's clients do no harm, and none reaches the upstream", async () => {
  const { status } = await vendor.call(flash, say('Hi'), {
    headers: {
      'x-goog-api-client': 'genai/1',
      'x-server-timeout': '60',
      // Would make the sandbox fail if it were relayed.
      'x-sandbox-switches': 'error=500',
      accept: 'text/event-stream',
      'accept-encoding': 'gzip',
    },
  })
  expect(status).toBe(200)
})

describe('spec 5.1: the credential', () => {
  const ask = (headers: Record<string, string>) => () =>
    fetch(`${fairgate.gatewayUrl}/vendor/v1beta/${flash}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(say('Hi')),
    })

  test('accepts either header, or both if they are equal', async () => {
    for (const headers of [
      { 'x-vendor-api-key': key },
      { 'x-goog-api-key': key },
      { 'x-vendor-api-key': key, 'x-goog-api-key': key },
    ]) {
      expect((await ask(headers)()).status).toBe(200)
    }
  })

  test('two different credentials are refused, even if one is right', async () => {
    for (const headers of [
      { 'x-vendor-api-key': key, 'x-goog-api-key': 'sk-other' },
      { 'x-vendor-api-key': 'sk-other', 'x-goog-api-key': key },
    ]) {
      await expectRefused(ask(headers), 401, 'UNAUTHENTICATED', 'invalid_api_key')
    }
  })

  test('a bearer token is refused, and the message says what is accepted', async () => {
    const { message } = await expectRefused(
      ask({ authorization: `Bearer ${key}` }),
      401,
      'UNAUTHENTICATED',
      'invalid_api_key',
    )
    expect(message).toContain('x-vendor-api-key')
  })

  test('a key in the address is refused even with a valid one in a header, and no reply repeats it', async () => {
    for (const headers of [{}, { 'x-vendor-api-key': key }]) {
      const response = await fetch(`${fairgate.gatewayUrl}/vendor/v1beta/${flash}?key=${key}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      })
      expect(response.status).toBe(400)
      expect(await response.text()).not.toContain(key)
    }
  })

  test("no other route of the gateway takes the pass-through's own header", async () => {
    for (const path of ['/key/info', '/v1/models']) {
      const response = await fetch(`${fairgate.gatewayUrl}${path}`, { headers: { 'x-vendor-api-key': key } })
      expect(response.status).toBe(401)
    }
  })
})

describe('the body', () => {
  const part = (value: object) => ({ contents: [{ parts: [{ text: 'Hi' }, value] }] })
  const file = { fileUri: 'https://example.org/files/abc', mimeType: 'image/png' }
  const snakeFile = { file_uri: 'https://example.org/files/abc', mime_type: 'image/png' }

  test.each<[string, object | string]>([
    ['cached content', say('Hi', { cachedContent: 'cachedContents/x' })],
    ['cached content in snake case', say('Hi', { cached_content: 'cachedContents/x' })],
    ['a service tier', say('Hi', { serviceTier: 'priority' })],
    ['a service tier in snake case', say('Hi', { service_tier: 'priority' })],
    ['labels', say('Hi', { labels: { a: 'b' } })],
    ['stored replies', say('Hi', { store: true })],
    ['an unknown member', say('Hi', { somethingNew: 1 })],
    ['an unknown setting', say('Hi', { generationConfig: { modelSelectionConfig: {} } })],
    ['a new form of output', say('Hi', { generationConfig: { responseFormat: [{ image: {} }] } })],
    ['video as output', say('Hi', { generationConfig: { responseModalities: ['VIDEO'] } })],
    ['a modality by number', say('Hi', { generationConfig: { responseModalities: [2] } })],
    ['images of a text model', say('Hi', { generationConfig: { responseModalities: ['IMAGE'] } })],
    ['audio of a text model', say('Hi', { generation_config: { response_modalities: ['audio'] } })],
    ['a file', part({ fileData: file })],
    ['a file in snake case', part({ file_data: snakeFile })],
    ['a file in both', part({ fileData: snakeFile })],
    ['a file in the instruction', say('Hi', { systemInstruction: { parts: [{ fileData: file }] } })],
    [
      'a file in a result',
      part({ functionResponse: { name: 'x', response: {}, parts: [{ fileData: file }] } }),
    ],
    [
      'a file in a result in snake case',
      part({ function_response: { name: 'x', response: {}, parts: [{ file_data: snakeFile }] } }),
    ],
    ['an unknown part', part({ remoteData: file })],
    ...[
      'codeExecution',
      'code_execution',
      'urlContext',
      'url_context',
      'googleMaps',
      'computerUse',
      'fileSearch',
      'googleSearchRetrieval',
      'mcpServers',
      'retrieval',
      'enterpriseWebSearch',
      'somethingNew',
    ].map((name): [string, object] => [`the tool ${name}`, say('Hi', { tools: [{ [name]: {} }] })]),
    ['a tool with two names', say('Hi', { tools: [{ googleSearch: {}, codeExecution: {} }] })],
    ['a search for images', say('Hi', { tools: [{ googleSearch: { searchTypes: { imageSearch: {} } } }] })],
    ['both spellings', say('Hi', { generationConfig: {}, generation_config: { maxOutputTokens: 1 } })],
    [
      'both spellings within',
      say('Hi', { generationConfig: { maxOutputTokens: 1, max_output_tokens: 60_000 } }),
    ],
    ['a member twice', '{"contents":[{"parts":[{"text":"Hi"}]}],"contents":[{"parts":[{"text":"Ho"}]}]}'],
    [
      'a member twice, once escaped',
      '{"contents":[{"parts":[{"text":"Hi"}]}],"generationConfig":{"maxOutputTokens":1,"\\u006daxOutputTokens":9}}',
    ],
    ['a cap that is not a number', say('Hi', { generationConfig: { maxOutputTokens: -1 } })],
    ['a cap in words', say('Hi', { generationConfig: { maxOutputTokens: '1e9' } })],
    ['no output', say('Hi', { generationConfig: { maxOutputTokens: '0' } })],
    ['very many candidates', say('Hi', { generationConfig: { candidateCount: '999999999' } })],
    ['nine candidates', say('Hi', { generationConfig: { candidateCount: 9 } })],
    ['another model', say('Hi', { model: 'models/mm-2.5-pro' })],
    ["the upstream's own name", say('Hi', { model: 'models/gemini-2.5-flash' })],
    ['no contents', {}],
    ['a list', '[]'],
  ])('%s', async (_, body) => {
    await expectRefused(() => vendor.post(flash, body), 400, 'INVALID_ARGUMENT')
    await expectRefused(
      () => vendor.post('models/mm-2.5-flash:streamGenerateContent?alt=sse', body),
      400,
      'INVALID_ARGUMENT',
    )
  })

  test.each<[string, object]>([
    ['a file', part({ fileData: file })],
    ['a file in a whole request', { generateContentRequest: part({ file_data: snakeFile }) }],
    ['a file in its snake-case name', { generate_content_request: part({ fileData: file }) }],
    ['another model', { generateContentRequest: { model: 'models/mm-2.5-pro', ...part({ text: 'x' }) } }],
    ['a tool', { generateContentRequest: say('Hi', { tools: [{ codeExecution: {} }] }) }],
  ])('of a token count: %s', async (_, body) => {
    await expectRefused(() => vendor.post('models/mm-2.5-flash:countTokens', body), 400, 'INVALID_ARGUMENT')
  })

  const content = { parts: [{ text: 'one' }] }
  test.each<[string, string, object]>([
    [
      'embedContent',
      'an image',
      { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] } },
    ],
    ['embedContent', 'a file', { content: { parts: [{ fileData: file }] } }],
    ['embedContent', 'another model', { content, model: 'models/mm-2.5-flash' }],
    ['batchEmbedContents', 'another model', { requests: [{ model: 'models/mm-2.5-flash', content }] }],
    ['batchEmbedContents', 'nothing', { requests: [] }],
    [
      'batchEmbedContents',
      'an unknown member',
      { requests: [{ model: 'models/mm-embedding-001', content, x: 1 }] },
    ],
  ])('of %s: %s', async (verb, _, body) => {
    await expectRefused(() => vendor.post(`models/mm-embedding-001:${verb}`, body), 400, 'INVALID_ARGUMENT')
  })

  const instances = [{ prompt: 'A cat' }]
  test.each<[string, object]>([
    ['five images', { instances, parameters: { sampleCount: 5 } }],
    ['no image', { instances, parameters: { sampleCount: 0 } }],
    ['half an image', { instances, parameters: { sampleCount: 1.5 } }],
    ['a number in words', { instances, parameters: { sampleCount: '4' } }],
    ['another spelling', { instances, parameters: { sample_count: 4 } }],
    ['both spellings', { instances, parameters: { sampleCount: 1, sample_count: 4 } }],
    ['two instances', { instances: [...instances, ...instances] }],
    ['a ratio', { instances, parameters: { aspectRatio: '3:2' } }],
    ['a size', { instances, parameters: { sampleImageSize: '4K' } }],
    ['a storage location for the images', { instances, parameters: { storageUri: 'gs://x' } }],
    ['an image to edit', { instances: [{ prompt: 'x', image: { bytesBase64Encoded: 'AA==' } }] }],
  ])('of predict: %s', async (_, body) => {
    await expectRefused(() => vendor.post('models/imggen-4:predict', body), 400, 'INVALID_ARGUMENT')
  })

  test('that is not JSON, has another content type, or is too large', async () => {
    await expectRefused(() => vendor.post(flash, '{"contents":'), 400, 'INVALID_ARGUMENT', 'invalid_json')
    await expectRefused(
      () => send(`/vendor/v1beta/${flash}`, { headers: { 'content-type': 'text/plain' } }),
      415,
      'INVALID_ARGUMENT',
      'unsupported_media_type',
    )
    await expectRefused(
      () => vendor.post(flash, say('x'.repeat(21 * 1024 * 1024))),
      413,
      'INVALID_ARGUMENT',
      'payload_too_large',
    )
  })

  test('functions can have fields of any name', async () => {
    const args = { file_uri: 'a', fileUri: 'b', cachedContent: 'c', __proto__x: 1 }
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'open', args } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'open', response: args } }] },
    ]
    const tools = [{ function_declarations: [{ name: 'open', parametersJsonSchema: { properties: args } }] }]
    expect((await vendor.call(flash, { contents, tools })).status).toBe(200)
  })
})

describe("the upstream's errors", () => {
  const trouble = (switches: string) => vendor.call(flash, say(`x [[sandbox: ${switches}]]`))

  test.each([
    ['error=400', 400, 'INVALID_ARGUMENT'],
    ['error=429; errorTimes=9', 429, 'RESOURCE_EXHAUSTED'],
    ['error=500; errorTimes=9', 500, 'INTERNAL'],
    ['error=503; errorTimes=9', 503, 'UNAVAILABLE'],
    ['error=503; errorTimes=9; arrayError', 503, 'UNAVAILABLE'],
    ['error=504', 504, 'DEADLINE_EXCEEDED'],
  ])('%s is passed on', async (switches, status, name) => {
    const reply = await trouble(switches)
    expect([reply.status, reply.reason]).toEqual([status, null])
    expect((JSON.parse(reply.text) as GeminiError).error).toMatchObject({ code: status, status: name })
  })

  test('with when to try again', async () => {
    const reply = await trouble('error=429; errorTimes=9; retryDelay=31s')
    expect(reply.headers.get('retry-after')).toBe('31')
    expect(reply.text).toContain('"retryDelay":"31s"')
  })

  test.each([['error=401'], ['error=403']])(
    '%s: our broken credential is not blamed on the caller',
    async switches => {
      const reply = await trouble(switches)
      expect([reply.status, reply.reason]).toEqual([502, 'upstream_auth'])
      expect((JSON.parse(reply.text) as GeminiError).error.status).toBe('UNAVAILABLE')
    },
  )

  test('model names are ours, and nothing points to the upstream', async () => {
    const reply = await vendor.call('models/mm-2.5-flash-preview-tts:generateContent', say('Hi'))
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('models/mm-2.5-flash-preview-tts')
    for (const secret of ['gemini', upstreamKey, fairgate.sandbox.url])
      expect(reply.text).not.toContain(secret)
  })

  test('a call that was refused before any work is retried', async () => {
    expect((await trouble('error=503; errorTimes=2')).status).toBe(200)
  })
})

test('none of these refusals was charged', async () => {
  const charges = await readCharges(fairgate.place, 'tight')
  expect(charges.every(({ cost_nano }) => cost_nano > 0)).toBe(true)
  expect((await fairgate.manage.teamInfo('tight')).team_info.held).toBe(0)
})
