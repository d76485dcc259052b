// Anthropic's Node client on the gateway's Messages endpoint, with no settings but address and key.
import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { z } from 'zod'
import { calls, createSuite, models, place } from './harness.mjs'

const client = new Anthropic({ apiKey: place.key, baseURL: place.gateway })
const suite = createSuite('@anthropic-ai/sdk')
const content = 'What is a gateway?'
const ask = { role: 'user', content }
const request = { model: models.chat, max_tokens: 1000, messages: [ask] }

await suite.check('turn', async () => {
  const reply = await client.messages.create(request)
  assert(reply.content[0].text.includes(content))
  return calls(1)
})

await suite.check('tools', async () => {
  const input_schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const tools = [{ name: 'get_weather', input_schema }]
  const first = await client.messages.create({ ...request, tools })
  const { id } = first.content.find(({ type }) => type === 'tool_use')
  const result = { type: 'tool_result', tool_use_id: id, content: 'clear sky' }
  const messages = [ask, { role: 'assistant', content: first.content }, { role: 'user', content: [result] }]
  const second = await client.messages.create({ ...request, tools, messages })
  assert(second.content[0].text.includes('clear sky'))
  return calls(2)
})

await suite.check('stream', async () => {
  assert((await client.messages.stream(request).finalText()).includes(content))
  return calls(1)
})

await suite.check('structured output', async () => {
  const city = z.object({ name: z.string(), people: z.number() })
  const output_config = { format: zodOutputFormat(city) }
  const { parsed_output } = await client.messages.parse({ ...request, output_config })
  city.parse(parsed_output)
  return calls(1)
})

process.exit(suite.hasFailed() ? 1 : 0)
