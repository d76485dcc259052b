// POST /chat/completions: every kind of request, unary and streamed, at both kinds of upstream, and its answers.
import type { Ask, Wire } from '../start-wire.ts'
import { recordMoney } from './record-money.ts'
import { pixelUrl, rawReply } from './samples.ts'

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

export async function recordChat(wire: Wire): Promise<void> {
  const key = await wire.team('chat', { rpm_limit: 1000, tpm_limit: 100_000_000 })
  const say = (
    name: string,
    content: unknown,
    more: object = {},
    ask: Ask = {},
    path = '/v1/chat/completions',
  ) =>
    wire.ask(name, `POST ${path}`, {
      bearer: key,
      body: { model: 'mm-2.5-flash', messages: [{ role: 'user', content }], max_tokens: 32, ...more },
      ...ask,
    })

  await say('plain', 'Hello')
  await say('plain without the version', 'Hello', {}, {}, '/chat/completions')
  await say('three choices', 'Hello', { n: 3 })
  await say('system, penalties, seed, stop', 'Hello', {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And' },
          { type: 'text', text: 'now?' },
        ],
      },
    ],
    seed: 7,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    stop: ['END', 'STOP'],
    presence_penalty: 0.5,
    frequency_penalty: -0.5,
  })
  await say('stop as a text', 'Hello', { stop: 'END', max_completion_tokens: 16 })
  await say('logprobs', 'Hello', { logprobs: true, top_logprobs: 2, max_tokens: 4 })
  await say('reasoning effort by budget', 'Hello [[sandbox: thinkingTokens=9; cachedTokens=3]]', {
    reasoning_effort: 'low',
  })
  await say('reasoning effort by level', 'Hello [[sandbox: thinkingTokens=9]]', {
    model: 'mm-3-flash-preview',
    reasoning_effort: 'high',
  })
  await say('no reasoning', 'Hello', { reasoning_effort: 'none' })
  await say('thinking as LiteLLM sends it', 'Hello [[sandbox: thinkingTokens=9]]', {
    thinking: { type: 'enabled', budget_tokens: 2000 },
  })
  await say('answer in JSON', 'Hello', { response_format: { type: 'json_object' } })
  await say('answer by a schema', 'Hello', {
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'city',
        schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    },
  })
  const called = await say('a tool is called', 'Weather?', { tools: [weather], tool_choice: 'required' })
  await say('its result goes back', 'Weather?', {
    tools: [weather],
    messages: [
      { role: 'user', content: 'Weather?' },
      JSON.parse(called.text).choices[0].message,
      {
        role: 'tool',
        tool_call_id: called.read('choices.0.message.tool_calls.0.id'),
        content: '{"sky":"clear"}',
      },
    ],
  })
  await say('two tools at once', 'Weather? [[sandbox: toolCalls=2]]', {
    tools: [weather],
    tool_choice: { type: 'function', function: { name: 'weather' } },
  })
  await say('one tool at a time', 'Weather? [[sandbox: toolCalls=2]]', {
    tools: [weather],
    parallel_tool_calls: false,
  })
  await say('an image goes in', [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: pixelUrl, detail: 'low' } },
  ])
  await say('an image comes out', 'A cat', {
    model: 'imgalias-2',
    max_tokens: null,
    modalities: ['image'],
    image_config: { aspect_ratio: '16:9', image_size: '1K' },
  })
  await say('text and image come out', 'A cat', {
    model: 'mm-2.5-flash-image',
    max_tokens: null,
    modalities: ['text', 'image'],
  })
  await say('audio comes out', 'Good morning', {
    model: 'mm-2.5-flash-preview-tts',
    max_tokens: null,
    modalities: ['audio'],
    audio: { voice: 'Zephyr', format: 'wav' },
  })
  await say('audio as bare samples', 'Good morning', {
    model: 'mm-2.5-flash-preview-tts',
    max_tokens: null,
    modalities: ['audio'],
    audio: { voice: 'puck', format: 'pcm16' },
  })
  await say('web search', 'News?', { web_search_options: {} })
  await say('cut at the limit', 'Hello [[sandbox: outputTokens=100]]', { max_tokens: 5 })
  await say('refused by its safety', 'Hello [[sandbox: finishReason=SAFETY]]')
  await say('the prompt is blocked', 'Hello [[sandbox: blockPrompt=SAFETY]]')
  await say('no usage is reported', 'Hello [[sandbox: noUsage]]')
  await say('the usage cannot be true', 'Hello [[sandbox: badUsage=negative]]')
  await say('the usage is absurd', 'Hello [[sandbox: badUsage=absurd]]')

  const stream = { stream: true }
  await say('streamed', 'Hello [[sandbox: chunks=3]]', stream)
  await say('streamed without the version', 'Hello [[sandbox: chunks=3]]', stream, {}, '/chat/completions')
  await say('streamed with usage', 'Hello [[sandbox: chunks=3]]', {
    ...stream,
    stream_options: { include_usage: true },
  })
  await say(
    'streamed, two choices with usage',
    'Hello [[sandbox: chunks=2]]',
    { ...stream, n: 2, stream_options: { include_usage: true } },
    { isMerged: true },
  )
  await say('streamed reasoning and logprobs', 'Hello [[sandbox: thinkingTokens=9; chunks=2]]', {
    ...stream,
    logprobs: true,
    max_tokens: 40,
    stream_options: { include_usage: true },
  })
  await say('streamed tool calls', 'Weather? [[sandbox: toolCalls=2]]', { ...stream, tools: [weather] })
  await say('streamed image', 'A cat', {
    ...stream,
    model: 'imgalias-2',
    max_tokens: null,
    modalities: ['image'],
  })
  await say('streamed audio', 'Good', {
    ...stream,
    model: 'mm-2.5-flash-preview-tts',
    max_tokens: null,
    modalities: ['audio'],
    audio: { voice: 'Zephyr', format: 'pcm16' },
  })
  await say('streamed in many scripts', 'Hello [[sandbox: splitUtf8; chunks=4]]', stream)
  await say('the stream fails midway', 'Hello [[sandbox: errorInStream=2; chunks=4]]', stream)
  await say('the stream ends early', 'Hello [[sandbox: endEarly=2; chunks=4]]', stream)
  await say('the stream has no usage', 'Hello [[sandbox: noUsage; chunks=2]]', {
    ...stream,
    stream_options: { include_usage: true },
  })
  await say('the streamed prompt is blocked', 'Hello [[sandbox: blockPrompt=SAFETY]]', stream)
  await say('the stream is refused', 'Hello [[sandbox: error=400]]', stream)

  await recordFailures(wire, key)
  await recordOwn(wire, key)
  recordMoney(wire, 'chat')
}

/** A failing upstream: the same for unary calls and for the start of streams. */
async function recordFailures(wire: Wire, key: string): Promise<void> {
  const fail = (name: string, content: string, more: object = {}) =>
    wire.ask(name, 'POST /v1/chat/completions', {
      bearer: key,
      body: { model: 'mm-2.5-flash', messages: [{ role: 'user', content }], ...more },
    })
  await fail('upstream 400', '[[sandbox: error=400]]')
  await fail('upstream 401', '[[sandbox: error=401]]')
  await fail('upstream 403', '[[sandbox: error=403]]')
  await fail('upstream 404', '[[sandbox: error=404]]')
  await fail('upstream 429 with a delay', '[[sandbox: error=429; retryDelay=9s]]')
  await fail('upstream 500, tried twice', '[[sandbox: error=500]]')
  await fail('upstream 503, then well', '[[sandbox: error=503; errorTimes=1]]')
  await fail('upstream 504', '[[sandbox: error=504]]')
  await fail('upstream error in an array', '[[sandbox: error=400; arrayError]]')
  const answers: Readonly<Record<string, string>> = {
    'upstream sends garbage': rawReply('200 OK', 'application/json', '<html>{'),
    'upstream sends nothing': rawReply('200 OK', 'application/json', ''),
    'upstream redirects': rawReply('302 Found', 'text/plain', '', 'Location: http://127.0.0.1:9/'),
    'upstream sends another JSON': rawReply('200 OK', 'application/json', '[1]'),
    'upstream fails without JSON': rawReply('400 Bad Request', 'text/plain', 'no'),
    'upstream speaks no HTTP': 'what?\r\n\r\n',
  }
  for (const [name, answer] of Object.entries(answers)) {
    wire.answerNext(answer)
    await fail(name, 'Hello')
    wire.answerNext(answer)
    await fail(`${name}, streamed`, 'Hello', { stream: true })
  }
}

/** The OpenAI-compatible upstream. */
async function recordOwn(wire: Wire, key: string): Promise<void> {
  const say = (name: string, content: unknown, more: object = {}, ask: Ask = {}) =>
    wire.ask(`own: ${name}`, 'POST /v1/chat/completions', {
      bearer: key,
      body: { model: 'own-chat', messages: [{ role: 'user', content }], max_tokens: 32, ...more },
      ...ask,
    })
  await say('plain', 'Hello [[sandbox: thinkingTokens=9; cachedTokens=3]]', {
    reasoning_effort: 'low',
    seed: 1,
    stop: ['END'],
  })
  await say('two choices', 'Hello', { n: 2 })
  await say('an image goes in', [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: pixelUrl } },
  ])
  const called = await say('a tool is called', 'Weather?', { tools: [weather] })
  await say('its result goes back', 'Weather?', {
    messages: [
      { role: 'user', content: 'Weather?' },
      JSON.parse(called.text).choices[0].message,
      { role: 'tool', tool_call_id: called.read('choices.0.message.tool_calls.0.id'), content: 'Sunny' },
    ],
  })
  await say('answer by a schema', 'Hello', {
    response_format: { type: 'json_schema', json_schema: { name: 'city', schema: { type: 'object' } } },
  })
  await say('streamed', 'Hello [[sandbox: chunks=3]]', { stream: true })
  await say('streamed with usage', 'Hello [[sandbox: chunks=3]]', {
    stream: true,
    stream_options: { include_usage: true },
  })
  await say('streamed tool calls without index', 'Weather? [[sandbox: toolCalls=2; noToolIndex]]', {
    stream: true,
    tools: [weather],
  })
  await say('the stream fails midway', 'Hello [[sandbox: errorInStream=2; chunks=4]]', { stream: true })
  await say('no usage is reported', 'Hello [[sandbox: noUsage]]')
  await say('web search', 'News?', { web_search_options: {} })
  await say('upstream 400', '[[sandbox: error=400]]')
  await say('upstream 403', '[[sandbox: error=403]]')
  await say('upstream 429', '[[sandbox: error=429; retryDelay=9s]]')
  await say('upstream 500', '[[sandbox: error=500]]')
  wire.answerNext(rawReply('200 OK', 'application/json', '<html>{'))
  await say('upstream sends garbage', 'Hello')
  wire.answerNext(rawReply('302 Found', 'text/plain', '', 'Location: http://127.0.0.1:9/'))
  await say('upstream redirects', 'Hello')
  await wire.ask('coverage of the own team', 'GET /coverage', { bearer: key })
  await wire.ask('coverage, a wrong class', 'GET /coverage?class=none', { bearer: key })
}
