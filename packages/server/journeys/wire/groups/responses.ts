// POST /responses: every kind of request, whole and streamed, at both kinds of upstream, its answers and errors.
import type { Ask, Wire } from '../start-wire.ts'
import { recordMoney } from './record-money.ts'
import { pixelUrl } from './samples.ts'

const weather = {
  type: 'function',
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

const agents = {
  type: 'namespace',
  name: 'agents',
  description: 'Helpers',
  tools: [{ type: 'function', name: 'close', parameters: { type: 'object', properties: {} } }],
}

const patch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
}

/** Options for mm-3-flash-preview: it reasons by levels, and its calls have signatures. */
const levelModel = 'mm-3-flash-preview'

export async function recordResponses(wire: Wire): Promise<void> {
  const key = await wire.team('responses', { rpm_limit: 1000, tpm_limit: 100_000_000 })
  const say = (name: string, input: unknown, more: object = {}, ask: Ask = {}, path = '/v1/responses') =>
    wire.ask(name, `POST ${path}`, {
      bearer: key,
      body: { model: 'mm-2.5-flash', input, max_output_tokens: 32, ...more },
      ...ask,
    })

  await say('plain', 'Hello')
  await say('plain without the version', 'Hello', {}, {}, '/responses')
  await say(
    'instructions, earlier items, settings',
    [
      { role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
      { role: 'user', content: 'Hello' },
      { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
      { role: 'developer', content: 'Be quick.' },
      { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
    ],
    {
      instructions: 'Be brief.',
      temperature: 0.5,
      top_p: 0.9,
      metadata: { run: '7' },
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'a',
    },
  )
  await say('reasoning is shown', 'Hello [[sandbox: thinkingTokens=9; cachedTokens=3]]', {
    reasoning: { effort: 'low', summary: 'auto' },
  })
  await say('reasoning is not shown', 'Hello [[sandbox: thinkingTokens=9]]', {
    model: levelModel,
    reasoning: { effort: 'high' },
  })
  await say('answer by a schema', 'Where?', {
    text: {
      format: {
        type: 'json_schema',
        name: 'place',
        schema: { type: 'object', properties: { city: { type: 'string' } } },
      },
    },
  })
  for (const model of ['mm-2.5-flash', levelModel]) {
    const question = { role: 'user', content: 'Weather? [[sandbox: toolCalls=2]]' }
    const called = await say(`${model}: two calls`, [question], {
      model,
      tools: [weather],
      max_output_tokens: null,
    })
    const { output } = JSON.parse(called.text)
    const results = output
      .filter(({ type }: { type: string }) => type === 'function_call')
      .map(({ call_id }: { call_id: string }) => ({
        type: 'function_call_output',
        call_id,
        output: '{"sky":"clear"}',
      }))
    await say(`${model}: their results go back`, [question, ...output, ...results.reverse()], {
      model,
      tools: [weather],
    })
  }
  await say('a namespace, its call streamed', 'Close it.', {
    tools: [agents],
    stream: true,
    max_output_tokens: null,
  })
  const custom = await say('a custom tool is called', 'Patch it.', {
    model: levelModel,
    tools: [patch],
    max_output_tokens: null,
  })
  const patched = JSON.parse(custom.text).output
  await say(
    'its result goes back with an image',
    [
      { role: 'user', content: 'Patch it.' },
      ...patched,
      {
        type: 'custom_tool_call_output',
        call_id: patched.at(-1).call_id,
        output: [
          { type: 'input_text', text: 'Done.' },
          { type: 'input_image', image_url: pixelUrl, detail: 'high' },
        ],
      },
    ],
    { model: levelModel, tools: [patch] },
  )
  await say(
    'an interrupted call',
    [
      { role: 'user', content: 'Weather?' },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bonn"}' },
      { role: 'user', content: 'Never mind.' },
    ],
    { tools: [weather] },
  )
  await say('some of the tools', 'Weather?', {
    tools: [weather, agents],
    tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'weather' }] },
    max_output_tokens: null,
  })
  await say('tools that agents send along are left out', 'Hello [[sandbox: toolCalls=0]]', {
    tools: [weather, { type: 'web_search' }, { type: 'tool_search', execution: 'client' }, { type: 'new' }],
  })
  await say('search of the web', 'News?', { tools: [{ type: 'web_search' }] })
  await say('a conversation in short', [{ role: 'user', content: 'Blue.' }, { type: 'compaction_trigger' }], {
    tools: [weather],
  })
  await say('cut at the limit', 'Hello [[sandbox: outputTokens=100]]', { max_output_tokens: 5 })
  await say('refused by its safety', 'Hello [[sandbox: finishReason=SAFETY]]')

  const stream = { stream: true }
  await say('streamed', 'Hello [[sandbox: chunks=3]]', stream)
  await say('streamed reasoning', 'Hello [[sandbox: thinkingTokens=9; chunks=2]]', {
    ...stream,
    reasoning: { summary: 'auto' },
  })
  await say('streamed calls', 'Weather? [[sandbox: toolCalls=2]]', {
    ...stream,
    model: levelModel,
    tools: [weather],
    max_output_tokens: null,
  })
  await say('the stream fails midway', 'Hello [[sandbox: errorInStream=2; chunks=4]]', stream)
  await say('the stream ends early', 'Hello [[sandbox: endEarly=2; chunks=4]]', stream)
  await say('own: streamed calls', 'Weather? [[sandbox: toolCalls=2]]', {
    ...stream,
    model: 'own-chat',
    tools: [weather],
    max_output_tokens: null,
  })
  await say('own: reasoning', 'Hello [[sandbox: thinkingTokens=9]]', {
    model: 'own-chat',
    reasoning: { summary: 'auto' },
  })

  await recordStored(wire, key)
  await recordRefused(wire, key)
  recordMoney(wire, 'responses')
}

/** What later requests refer to: by the response before them, or item by item. */
async function recordStored(wire: Wire, bearer: string): Promise<void> {
  const say = async (name: string, body: object, path = '/v1/responses') => {
    const { text } = await wire.ask(name, `POST ${path}`, { bearer, body: { model: levelModel, ...body } })
    return JSON.parse(text)
  }
  const tools = [weather]
  const question = { role: 'user', content: 'Weather? [[sandbox: toolCalls=1]]' }
  const { id, output } = await say('stored: a call', { input: [question], tools })
  const result = {
    type: 'function_call_output',
    call_id: output.at(-1).call_id,
    output: '{"sky":"clear"}',
  }
  await say('stored: its result, after the response', { previous_response_id: id, input: [result], tools })
  const references = output.map((item: { id: string }) => ({ type: 'item_reference', id: item.id }))
  await say('stored: its result, after references', { input: [question, ...references, result], tools })
  await say('stored: compacted', { previous_response_id: id, input: [result] }, '/v1/responses/compact')
  await say('stored: nothing to compact', {}, '/v1/responses/compact')
  await wire.ask('stored: read', `GET /v1/responses/${id}`, { bearer })
  await wire.ask('stored: its input', `GET /v1/responses/${id}/input_items?limit=1`, { bearer })
  await wire.ask('stored: cannot be cancelled', `POST /v1/responses/${id}/cancel`, { bearer })
  const other = await wire.team('responses-other', {})
  await wire.ask('stored: by another team', `GET /v1/responses/${id}`, { bearer: other })
  await wire.ask('stored: deleted', `DELETE /v1/responses/${id}`, { bearer })
  await wire.ask('stored: deleted again', `DELETE /v1/responses/${id}`, { bearer })
}

/** Clients get the same as in chat, and agents that retry by themselves get an answer that ends the retries. */
async function recordRefused(wire: Wire, key: string): Promise<void> {
  const codex = { originator: 'codex_exec' }
  const refuse = (name: string, more: object, headers: Record<string, string> = {}, bearer = key) =>
    wire.ask(name, 'POST /v1/responses', {
      bearer,
      headers,
      body: { model: 'mm-2.5-flash', input: 'Hello', ...more },
    })
  await refuse('refused: an earlier response', { previous_response_id: 'resp_1' })
  await refuse('refused: a conversation', { conversation: { id: 'conv_1' } })
  await refuse('refused: a prompt', { prompt: { id: 'pmpt_1' } })
  await refuse('refused: in the background', { background: true })
  await refuse('refused: a reference', { input: [{ type: 'item_reference', id: 'msg_1' }] })
  await refuse('refused: a built-in tool', { tools: [{ type: 'file_search', vector_store_ids: ['a'] }] })
  await refuse('refused: search without a price', { model: 'own-chat', tools: [{ type: 'web_search' }] })
  await refuse('refused: a forced built-in tool', {
    tools: [weather, { type: 'web_search' }],
    tool_choice: { type: 'web_search' },
  })
  await refuse('refused: no tool is allowed', {
    tools: [weather],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp' }] },
  })
  await refuse('refused: a file by its id', {
    input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }],
  })
  await refuse('refused: a call without a name', {
    input: [{ type: 'function_call', call_id: 'a', arguments: '{}' }],
  })
  await refuse('refused: another model', { model: 'imggen-4' })
  const poor = await wire.team('poor-responses', { max_budget: 0.000001 })
  for (const [who, headers] of [
    ['a client', {}],
    ['Codex', codex],
  ] as const) {
    await refuse(`${who}: the budget is spent`, {}, headers, poor)
    await refuse(`${who}: upstream 500`, { input: '[[sandbox: error=500]]' }, headers)
    await refuse(`${who}: upstream 429`, { input: '[[sandbox: error=429; retryDelay=9s]]' }, headers)
    await refuse(`${who}: bad key`, {}, headers, 'sk-nobody')
  }
  await wire.ask('no list', 'GET /v1/responses', { bearer: key })
  await wire.ask('no stored response', 'GET /v1/responses/resp_1', { bearer: key })
}
