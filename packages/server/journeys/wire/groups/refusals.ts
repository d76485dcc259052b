// Checks before every call of the gateway: credentials, routes, bodies, models, limits, budget; and what a key can read about itself.
import type { Ask, Wire } from '../start-wire.ts'
import { recordMoney } from './record-money.ts'

const chat = '/v1/chat/completions'
const hello = (more: object = {}) => ({
  model: 'mm-2.5-flash',
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 16,
  ...more,
})
const json = { 'Content-Type': 'application/json' }

export async function recordRefusals(wire: Wire): Promise<void> {
  const key = await wire.team(
    'info',
    {
      rpm_limit: 100,
      tpm_limit: 100_000,
      model_rpm_limit: { 'mm-2.5-pro': 5 },
      budget_duration: '1d',
      metadata: { color: 'red' },
    },
    { key_alias: 'laptop', aliases: { mine: 'mm-2.5-flash' }, model_max_budget: { 'mm-2.5-pro': 1 } },
  )
  await recordInfo(wire, key)
  await recordCredentials(wire)
  await recordBodies(wire, key)
  await recordTypes(wire, key)
  await recordLimits(wire)
  recordMoney(wire, 'info')
}

async function recordInfo(wire: Wire, key: string): Promise<void> {
  const get = (name: string, path: string, more: Ask = {}) =>
    wire.ask(name, `GET ${path}`, { bearer: key, ...more })
  await get('key', '/key/info')
  await wire.ask('a call by an alias of the key', `POST ${chat}`, {
    bearer: key,
    body: hello({ model: 'mine' }),
  })
  await get('key after a call', '/key/info')
  await get('own team', '/team/info?team_id=info')
  await get('another team', '/team/info?team_id=other')
  await get('no team', '/team/info')
  await get('models', '/v1/models')
  await get('models without the version', '/models')
  await get('a model', '/v1/models/mm-2.5-flash')
  await get('a model by alias', '/models/imgalias-2')
  await get('an unknown model in the list', '/v1/models/nothing')
  await get('another path', '/v1/nothing')
  await get('a path with a slash at its end', '/v1/models/')
  await get('another method', chat)
  await wire.ask('an unknown method', 'PATCH /key/info', { bearer: key })
  await wire.ask('HEAD', 'HEAD /key/info', { bearer: key })
  await wire.ask('HEAD without a key', 'HEAD /v1/models')
  await wire.ask('OPTIONS', `OPTIONS ${chat}`)
  await wire.ask('OPTIONS from a browser', `OPTIONS ${chat}`, {
    headers: {
      Origin: 'http://example.org',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
  })
  await get("another origin's reply", '/v1/models/mm-2.5-flash', {
    headers: { Origin: 'http://example.org' },
  })
  await wire.ask('nothing there without a key', 'GET /v1/nothing')
}

async function recordCredentials(wire: Wire): Promise<void> {
  const call = (name: string, ask: Ask) => wire.ask(name, `POST ${chat}`, { body: hello(), ...ask })
  const manage = (path: string, body: object) =>
    wire.askQuietly(`POST ${path}`, { door: 'admin', bearer: wire.adminKey, body })
  await call('no key', {})
  await call('a wrong key', { bearer: 'sk-nobody' })
  await call('another scheme', { headers: { Authorization: 'Basic YTpi' } })
  await call('a log token', { bearer: await wire.token('info') })
  await call('two different keys', { bearer: 'sk-nobody', headers: { 'api-key': 'sk-somebody' } })
  await call('the key in the header of the pass-through', { vendorKey: await wire.key('info') })
  const blocked = await wire.key('info')
  await manage('/key/block', { key: blocked })
  await call('a blocked key', { bearer: blocked })
  const expired = await wire.key('info', { duration: '1s' })
  wire.passTime(1000)
  await call('an expired key', { bearer: expired })
  await call('a key of a blocked team', { bearer: await wire.team('blocked', { blocked: true }) })
  const narrow = await wire.key('info', { allowed_routes: ['/key/info'], models: ['mm-2.5-pro'] })
  await call('a route that the key cannot call', { bearer: narrow })
  const chosen = await wire.key('info', { models: ['mm-2.5-pro'] })
  await call('a model that the key cannot call', { bearer: chosen })
  await wire.ask('models of a key with few', 'GET /v1/models', { bearer: chosen })
  await wire.ask('a model that the key cannot see', 'GET /v1/models/mm-2.5-flash', { bearer: chosen })
}

async function recordBodies(wire: Wire, key: string): Promise<void> {
  const send = (name: string, body: string, headers: Readonly<Record<string, string>> = json) =>
    wire.ask(name, `POST ${chat}`, { bearer: key, headers, body })
  await send('malformed JSON', '{"model":')
  await send('no body', '')
  await send('no object', '[]')
  await send('not UTF-8', '"\u0000"')
  await send('another content type', 'Hello', { 'Content-Type': 'text/plain' })
  await send('no content type', JSON.stringify(hello()), {})
  await send('with a charset', JSON.stringify(hello()), { 'Content-Type': 'application/json; charset=utf-8' })
  await send('compressed', '{}', { ...json, 'Content-Encoding': 'gzip' })
  await send('too large', JSON.stringify(hello({ user: 'x'.repeat(1_100_000) })))
  await send('too deep', `{"model":"mm-2.5-flash","messages":${'['.repeat(300)}${']'.repeat(300)}}`)
  await send(
    'a member twice',
    '{"model":"nothing","model":"mm-2.5-flash","messages":[{"role":"user","content":"Hello"}],"max_tokens":8}',
  )
}

/** Invalid values, each with the `param` in the error. */
async function recordTypes(wire: Wire, key: string): Promise<void> {
  const call = (name: string, more: object) =>
    wire.ask(name, `POST ${chat}`, { bearer: key, body: hello(more) })
  await call('no model', { model: undefined })
  await call('a model that is no text', { model: 7 })
  await call('an unknown model', { model: 'nothing' })
  await call('a model of another kind', { model: 'mm-embedding-001' })
  await call('a music model', { model: 'music-3-clip-preview' })
  await call('no messages', { messages: [] })
  await call('messages that are no list', { messages: 'Hello' })
  await call('an unknown role', { messages: [{ role: 'robot', content: 'Hello' }] })
  await call('no content', { messages: [{ role: 'user' }] })
  await call('an unknown part', { messages: [{ role: 'user', content: [{ type: 'smell' }] }] })
  await call('an invalid image', {
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,!!' } }] },
    ],
  })
  await call('an image of a private address', {
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://127.0.0.1/cat.png' } }] },
    ],
  })
  await call('an image without encryption', {
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://example.org/cat.png' } }] },
    ],
  })
  await call('a result of no call', {
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
    ],
  })
  await call('too warm', { temperature: 3 })
  await call('too many choices', { n: 9 })
  await call('half a token', { max_tokens: 1.5 })
  await call('stream as a text', { stream: 'yes' })
  await call('too many stops', { stop: ['a', 'b', 'c', 'd', 'e', 'f'] })
  await call('alternatives without log probabilities', { top_logprobs: 2 })
  await call('functions', { functions: [] })
  await call('a tool with a bad name', { tools: [{ type: 'function', function: { name: '1 2' } }] })
  await call('a choice of no tool', { tool_choice: 'required' })
  await call('an unknown effort', { reasoning_effort: 'much' })
  await call('an unknown form', { response_format: { type: 'yaml' } })
  await call('audio of a text model', { modalities: ['audio'], audio: { voice: 'Zephyr', format: 'wav' } })
  await call('images of a text model', { modalities: ['image'] })
  await call('a stream of wav', {
    model: 'mm-2.5-flash-preview-tts',
    modalities: ['audio'],
    audio: { voice: 'Zephyr', format: 'wav' },
    stream: true,
  })
  await call('an unknown voice', {
    model: 'mm-2.5-flash-preview-tts',
    modalities: ['audio'],
    audio: { voice: 'Nobody', format: 'wav' },
  })
  await call('an unknown parameter', { color: 'red' })
}

async function recordLimits(wire: Wire): Promise<void> {
  const call = (name: string, bearer: string, more: object = {}) =>
    wire.ask(name, `POST ${chat}`, { bearer, body: hello(more) })
  const slow = { messages: [{ role: 'user', content: '[[sandbox: firstByteDelayMs=1]]' }] }
  /** Has a fixed price of 0.04 USD. */
  const cat = (prompt = 'A cat') => ({ model: 'imggen-4', prompt })
  const images = 'POST /v1/images/generations'

  const hurried = await wire.team('hurried', { rpm_limit: 1 })
  await call('the one request of the minute', hurried)
  await call('requests per minute of the team', hurried)
  await call('requests per minute, streamed', hurried, { stream: true })
  const hurriedKey = await wire.team('hurried-key', {}, { rpm_limit: 1 })
  await call('the one request of the key', hurriedKey)
  await call('requests per minute of the key', hurriedKey)
  const hurriedModel = await wire.team('hurried-model', { model_rpm_limit: { 'mm-2.5-flash': 1 } })
  await call('the one request of the model', hurriedModel)
  await call('requests per minute of the model', hurriedModel)
  await call('another model is free', hurriedModel, { model: 'mm-2.5-pro' })
  await call('tokens per minute of the team', await wire.team('small', { tpm_limit: 10 }), { max_tokens: 32 })
  await call('tokens per minute of the key', await wire.team('small-key', {}, { tpm_limit: 10 }), {
    max_tokens: 32,
  })
  await call(
    'tokens per minute of the model',
    await wire.team('small-model', { model_tpm_limit: { 'mm-2.5-flash': 10 } }),
    { max_tokens: 32 },
  )
  await call('tokens of embeddings', await wire.team('small-embeddings', { tpm_limit: 1 }), {})

  const poor = await wire.team('poor', { max_budget: 0.03 })
  await wire.ask('budget of the team', images, { bearer: poor, body: cat() })
  await wire.ask('budget of the team, a video', 'POST /v1/videos', {
    bearer: poor,
    body: { model: 'video-3.1-lite-generate-001', prompt: 'Waves', seconds: '4' },
  })
  await call('a budget that reduces the output', await wire.team('reduced', { max_budget: 0.002 }), {
    max_tokens: 60_000,
  })
  await call('no budget at all', await wire.team('penniless', { max_budget: 0 }))
  await call('budget of the key', await wire.team('poor-key', {}, { max_budget: 0.000_001 }))
  await call(
    'budget of a model',
    await wire.team('poor-model', {}, { model_max_budget: { 'mm-2.5-flash': 0.000_001 } }),
  )
  const single = await wire.team('single', {}, { max_parallel_requests: 1 })
  await during(
    wire,
    () => wire.askQuietly(`POST ${chat}`, { bearer: single, body: hello(slow) }),
    async () => {
      await call('simultaneous requests', single)
      await wire.ask('simultaneous requests, for information', 'GET /key/info', { bearer: single })
    },
  )
  const holding = await wire.team('holding', { max_budget: 0.05 })
  await during(
    wire,
    () => wire.askQuietly(images, { bearer: holding, body: cat('A cat [[sandbox: firstByteDelayMs=1]]') }),
    () => wire.ask('the budget is held', images, { bearer: holding, body: cat() }),
  )
  await wire.ask('the record of such a team', 'GET /team/info?team_id=holding', { bearer: holding })
}

/** Runs `ask` while the first call is at the upstream. */
export async function during(
  wire: Wire,
  first: () => Promise<unknown>,
  ask: () => Promise<unknown>,
): Promise<void> {
  const release = wire.holdUpstream()
  const running = first()
  await wire.reachUpstream()
  await ask()
  release()
  await running
}
