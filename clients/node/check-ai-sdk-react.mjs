// Vercel's AI SDK for pages: the chat behind `useChat`, over a route handler with `streamText` and the default `openai(…)`, which speaks Responses.
import assert from 'node:assert/strict'
import { createOpenAI } from '@ai-sdk/openai'
import { Chat } from '@ai-sdk/react'
import {
  convertToModelMessages,
  DefaultChatTransport,
  jsonSchema,
  lastAssistantMessageIsCompleteWithToolCalls,
  stepCountIs,
  streamText,
  tool,
} from 'ai'
import { call, createSuite, models, place, setSwitches } from './harness.mjs'

globalThis.AI_SDK_LOG_WARNINGS = false
const openai = createOpenAI({ baseURL: `${place.gateway}/v1`, apiKey: place.key })
const suite = createSuite('@ai-sdk/react')
const prompt = 'What is a gateway?'
const inputSchema = jsonSchema({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
})
const description = 'The weather of a city'
/** Run by the route handler. */
const weather = tool({ description, inputSchema, execute: async () => ({ sky: 'clear' }) })
/** Run by the page. */
const pageWeather = tool({ description, inputSchema })

/** A page with its route handler, without HTTP between them. `calls()` are those of all its turns. */
function createPage(tools, options = {}) {
  const answers = []
  const handle = async ({ messages }) => {
    const answer = streamText({
      model: openai(models.signed),
      messages: await convertToModelMessages(messages),
      tools,
      stopWhen: stepCountIs(5),
    })
    answers.push(answer)
    return answer.toUIMessageStreamResponse()
  }
  const chat = new Chat({
    transport: new DefaultChatTransport({ fetch: async (_, { body }) => await handle(JSON.parse(body)) }),
    onError: error => {
      throw error
    },
    ...options,
  })
  const calls = async () => {
    const steps = (await Promise.all(answers.map(answer => answer.steps))).flat()
    return steps.flatMap(({ usage }) => {
      const cached = usage.inputTokenDetails.cacheReadTokens ?? 0
      const units = { input: usage.inputTokens - cached, cached_input: cached, output: usage.outputTokens }
      return call(models.signed, units)
    })
  }
  return { chat, calls }
}

function textOf({ lastMessage, status, error }) {
  assert.equal(status, 'ready', error)
  return lastMessage.parts.map(part => part.text ?? '').join('')
}

await suite.check('turn', async () => {
  const { chat, calls } = createPage()
  await chat.sendMessage({ text: prompt })
  assert(textOf(chat).includes(prompt))
  return await calls()
})

await suite.check('stream', async () => {
  const lengths = new Set()
  const { chat, calls } = createPage()
  chat['~registerMessagesCallback'](() => lengths.add(JSON.stringify(chat.lastMessage).length))
  await chat.sendMessage({ text: `${prompt} [[sandbox: chunks=5]]` })
  assert(textOf(chat).includes(prompt))
  assert(lengths.size >= 5, `the page saw ${lengths.size} states of the answer`)
  return await calls()
})

await suite.check('tools', async () => {
  const { chat, calls } = createPage({ weather })
  await setSwitches({ toolSteps: 3, toolCalls: 2, thinkingTokens: 9 })
  await chat.sendMessage({ text: 'Weather?' })
  const used = chat.lastMessage.parts.filter(({ type }) => type === 'tool-weather')
  assert(used.length === 6 && used.every(({ output }) => output.sky === 'clear'))
  await chat.sendMessage({ text: 'And tomorrow?' })
  assert.equal(chat.messages.length, 4)
  assert(textOf(chat).includes('clear'))
  return await calls()
})

await suite.check('tools that the page runs', async () => {
  const { chat, calls } = createPage(
    { weather: pageWeather },
    {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall: { toolCallId } }) => {
        chat.addToolOutput({ tool: 'weather', toolCallId, output: { sky: 'clear' } })
      },
    },
  )
  await chat.sendMessage({ text: 'Weather?' })
  assert(textOf(chat).includes('clear'))
  await chat.sendMessage({ text: 'And tomorrow?' })
  assert.equal(chat.messages.length, 4)
  assert(textOf(chat).includes('clear'))
  return await calls()
})

suite.hasNone('structured output')
process.exit(suite.hasFailed() ? 1 : 0)
