// OpenAI's Node client, with no settings but address and key.
import assert from 'node:assert/strict'
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import { calls, createSuite, models, place } from './harness.mjs'

const client = new OpenAI({ apiKey: place.key, baseURL: `${place.gateway}/v1` })
const suite = createSuite('openai')
const model = models.chat
const content = 'What is a gateway?'
const messages = [{ role: 'user', content }]

await suite.check('turn', async () => {
  const { choices } = await client.chat.completions.create({ model, messages })
  assert(choices[0].message.content.includes(content))
  return calls(1)
})

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    parse: JSON.parse,
    function: () => 'clear sky',
  },
}

await suite.check('tools', async () => {
  const runner = client.chat.completions.runTools({ model, messages, tools: [weather] })
  assert((await runner.finalContent()).includes('clear sky'))
  return calls(2)
})

await suite.check('stream', async () => {
  let text = ''
  for await (const { choices } of await client.chat.completions.create({ model, messages, stream: true }))
    text += choices[0]?.delta.content ?? ''
  assert(text.includes(content))
  return calls(1)
})

await suite.check('structured output', async () => {
  const city = z.object({ name: z.string(), people: z.number() })
  const response_format = zodResponseFormat(city, 'city')
  const { choices } = await client.chat.completions.parse({ model, messages, response_format })
  city.parse(choices[0].message.parsed)
  return calls(1)
})

await suite.check('Responses: tools, each turn with all that came before', async () => {
  const { name, parameters } = weather.function
  const tools = [{ type: 'function', name, parameters, strict: false }]
  const first = await client.responses.create({ model, input: messages, tools })
  const { call_id } = first.output.find(({ type }) => type === 'function_call')
  const result = { type: 'function_call_output', call_id, output: 'clear sky' }
  const input = [...messages, ...first.output, result]
  assert((await client.responses.create({ model, input, tools })).output_text.includes('clear sky'))
  return calls(2)
})

process.exit(suite.hasFailed() ? 1 : 0)
