// POST /v1/messages and its count: every kind of request, whole and streamed, at both kinds of upstream, and its refusals.
import type { Ask, Wire } from '../start-wire.ts'
import { recordMoney } from './record-money.ts'
import { pixelBase64 } from './samples.ts'

const weather = {
  name: 'weather',
  description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

export async function recordMessages(wire: Wire): Promise<void> {
  const key = await wire.team('messages', { rpm_limit: 1000, tpm_limit: 100_000_000 })
  const own: Ask = { headers: { 'x-api-key': key } }
  const say = (name: string, content: unknown, more: object = {}, credential = own, path = '/v1/messages') =>
    wire.ask(name, `POST ${path}`, {
      body: { model: 'mm-2.5-flash', messages: [{ role: 'user', content }], max_tokens: 32, ...more },
      ...credential,
    })

  await say('plain', 'Hello')
  await say('plain, by the other header and path', 'Hello', {}, { bearer: key }, '/messages?beta=true')
  await say('system, sampling, stops', 'Hello', {
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=1;' },
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
    ],
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'system', content: 'Today is a Sunday.' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: [{ type: 'text', text: 'And now?' }, { type: 'mystery' }] },
    ],
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    stop_sequences: ['END'],
    metadata: { user_id: 'u' },
  })
  await say('adaptive thinking by budget', 'Hello [[sandbox: thinkingTokens=9; cachedTokens=3]]', {
    thinking: { type: 'adaptive' },
    max_tokens: 200,
  })
  await say('thinking by level, not shown', 'Hello [[sandbox: thinkingTokens=9]]', {
    model: 'mm-3-flash-preview',
    thinking: { type: 'adaptive', display: 'omitted' },
    output_config: { effort: 'high' },
    max_tokens: 200,
  })
  await say('thinking with a budget', 'Hello', {
    thinking: { type: 'enabled', budget_tokens: 1024 },
    max_tokens: 2000,
  })
  await say('answer by a schema', 'Hello', {
    output_config: { format: { type: 'json_schema', schema: weather.input_schema } },
  })
  for (const model of ['mm-2.5-flash', 'mm-3-flash-preview']) {
    const called = await say(`tools are called, ${model}`, 'Weather? [[sandbox: toolCalls=2]]', {
      model,
      max_tokens: 500,
      tools: [weather],
      tool_choice: { type: 'any' },
    })
    const { content } = JSON.parse(called.text) as { content: { type: string; id?: string }[] }
    const [first, second] = content.filter(({ type }) => type === 'tool_use')
    const source = { type: 'base64', media_type: 'image/png', data: pixelBase64 }
    await say(`their results go back, ${model}`, 'Weather?', {
      model,
      max_tokens: 500,
      tools: [weather],
      messages: [
        { role: 'user', content: 'Weather? [[sandbox: toolCalls=2]]' },
        { role: 'assistant', content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: second?.id, content: 'No such city', is_error: true },
            { type: 'tool_result', tool_use_id: first?.id, content: [{ type: 'image', source }] },
          ],
        },
      ],
    })
  }
  await say('search of the web', 'Search: fairgate', {
    max_tokens: 200,
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
  })
  await say('refused by the filter', '[[sandbox: blockPrompt=SAFETY]]')

  await say('stream', 'Hello', { stream: true })
  await say('stream of thoughts and calls', 'Weather? [[sandbox: toolCalls=2; thinkingTokens=5]]', {
    model: 'mm-3-flash-preview',
    stream: true,
    max_tokens: 500,
    thinking: { type: 'adaptive' },
    tools: [weather],
  })
  await say('stream of a search', 'Search: fairgate', {
    stream: true,
    max_tokens: 200,
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
  })
  await say('at another kind of upstream', 'Hello', { model: 'own-chat', thinking: { type: 'adaptive' } })
  await say('stream of calls at another kind of upstream', 'Weather?', {
    model: 'own-chat',
    stream: true,
    max_tokens: 200,
    tools: [weather],
  })

  await say('tokens are counted', 'Hello', { tools: [weather] }, own, '/v1/messages/count_tokens?beta=true')
  await say('tokens of nothing else', 'Hello', { tools: [] }, own, '/v1/messages/count_tokens')

  await say('no cap', 'Hello', { max_tokens: null })
  await say('an unknown model', 'Hello', { model: 'nope' })
  await say('a model for something else', 'Hello', { model: 'imggen-4' })
  await say('an image that no model reads', [
    { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: pixelBase64 } },
  ])
  await say('no key', 'Hello', {}, {})
  await say('two keys', 'Hello', {}, { bearer: key, headers: { 'x-api-key': 'sk-other' } })
  await say('an upstream that is overloaded', '[[sandbox: error=503]]')
  await wire.ask('another method', 'GET /v1/messages', { bearer: key })
  await wire.ask('another path', 'POST /v1/messages/batches', { bearer: key, body: {} })
  const poor = await wire.team('messages-poor', { max_budget: 0 })
  await say('no budget', 'Hello', {}, { bearer: poor })
  await wire.ask('the models for such clients', 'GET /v1/models?limit=3', {
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
  })
  recordMoney(wire, 'messages')
}
