// LangChain's JavaScript client for OpenAI, with no settings but address and key.
import assert from 'node:assert/strict'
import { HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'
import { calls, createSuite, models, place } from './harness.mjs'

const chat = new ChatOpenAI({
  model: models.chat,
  apiKey: place.key,
  configuration: { baseURL: `${place.gateway}/v1` },
})
const suite = createSuite('@langchain/openai')
const content = 'What is a gateway?'

await suite.check('turn', async () => {
  assert((await chat.invoke(content)).text.includes(content))
  return calls(1)
})

await suite.check('tools', async () => {
  const weather = tool(() => 'clear sky', {
    name: 'get_weather',
    description: 'The weather of a city',
    schema: z.object({ city: z.string() }),
  })
  const model = chat.bindTools([weather])
  const ask = new HumanMessage(content)
  const first = await model.invoke([ask])
  const results = await Promise.all(first.tool_calls.map(call => weather.invoke(call)))
  assert((await model.invoke([ask, first, ...results])).text.includes('clear sky'))
  return calls(2)
})

await suite.check('stream', async () => {
  let text = ''
  for await (const piece of await chat.stream(content)) text += piece.text
  assert(text.includes(content))
  return calls(1)
})

const city = z.object({ name: z.string(), people: z.number() })
await suite.check('structured output', async () => {
  city.parse(await chat.withStructuredOutput(city).invoke(content))
  return calls(1)
})

await suite.check('structured output by a tool', async () => {
  city.parse(await chat.withStructuredOutput(city, { method: 'functionCalling' }).invoke(content))
  return calls(1)
})

process.exit(suite.hasFailed() ? 1 : 0)
