// The vendor's Node SDK on the pass-through, with no settings but address and key.
import assert from 'node:assert/strict'
import { GoogleGenAI, Type } from '@google/genai'
import { calls, createSuite, models, place } from './harness.mjs'

const client = new GoogleGenAI({ apiKey: place.key, httpOptions: { baseUrl: `${place.gateway}/vendor` } })
const suite = createSuite('@google/genai')
const model = models.chat
const contents = 'What is a gateway?'

await suite.check('turn', async () => {
  const reply = await client.models.generateContent({ model, contents })
  assert(reply.text.includes(contents))
  return calls(1)
})

await suite.check('tools', async () => {
  const parametersJsonSchema = { type: 'object', properties: { city: { type: 'string' } } }
  const tools = [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema }] }]
  const chat = client.chats.create({ model, config: { tools } })
  const { functionCalls } = await chat.sendMessage({ message: contents })
  const functionResponse = { name: functionCalls[0].name, response: { sky: 'clear sky' } }
  const reply = await chat.sendMessage({ message: [{ functionResponse }] })
  assert(reply.text.includes('clear sky'))
  return calls(2)
})

await suite.check('stream', async () => {
  let text = ''
  for await (const piece of await client.models.generateContentStream({ model, contents })) text += piece.text
  assert(text.includes(contents))
  return calls(1)
})

await suite.check('structured output', async () => {
  const responseSchema = {
    type: Type.OBJECT,
    properties: { name: { type: Type.STRING }, people: { type: Type.INTEGER } },
    required: ['name', 'people'],
  }
  const config = { responseMimeType: 'application/json', responseSchema }
  const reply = await client.models.generateContent({ model, contents, config })
  assert.equal(typeof JSON.parse(reply.text).people, 'number')
  return calls(1)
})

process.exit(suite.hasFailed() ? 1 : 0)
