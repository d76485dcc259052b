// Vercel's AI SDK: its OpenAI and OpenAI-compatible providers on the gateway's own endpoints, and its vendor provider on the pass-through.
import assert from 'node:assert/strict'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  embedMany,
  generateImage,
  generateObject,
  experimental_generateSpeech as generateSpeech,
  generateText,
  experimental_generateVideo as generateVideo,
  jsonSchema,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  tool,
  experimental_transcribe as transcribe,
} from 'ai'
import {
  audio,
  call,
  calls,
  createSuite,
  image,
  isMp3,
  isMp4,
  isPng,
  models,
  place,
  setSwitches,
} from './harness.mjs'

globalThis.AI_SDK_LOG_WARNINGS = false
const baseURL = `${place.gateway}/v1`
const apiKey = place.key
const providers = {
  '@ai-sdk/openai': createOpenAI({ baseURL, apiKey }),
  '@ai-sdk/openai-compatible': createOpenAICompatible({
    name: 'fairgate',
    baseURL,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  }),
  '@ai-sdk/google': createGoogleGenerativeAI({ baseURL: `${place.gateway}/vendor/v1beta`, apiKey }),
}
const prompt = 'What is a gateway?'

function callOf(model, usage) {
  const cached = usage.inputTokenDetails?.cacheReadTokens ?? 0
  return call(model, { input: usage.inputTokens - cached, cached_input: cached, output: usage.outputTokens })
}

/** A model of chat. `by`: what it is called through, if that is not the provider's default. */
async function checkChat(suite, chat, by = '') {
  await suite.check(`turn${by}`, async () => {
    const { text, usage } = await generateText({ model: chat, prompt })
    assert(text.includes(prompt))
    return callOf(models.chat, usage)
  })

  await suite.check(`stream${by}`, async () => {
    const stream = streamText({ model: chat, prompt })
    let text = ''
    for await (const piece of stream.textStream) text += piece
    assert(text.includes(prompt))
    return callOf(models.chat, await stream.usage)
  })

  await suite.check(`tools${by}`, async () => {
    const weather = tool({
      description: 'The weather of a city',
      inputSchema: jsonSchema({
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      }),
      execute: async () => ({ sky: 'clear' }),
    })
    const { text, steps } = await generateText({
      model: chat,
      prompt,
      tools: { weather },
      stopWhen: stepCountIs(2),
    })
    assert.equal(steps.length, 2)
    assert(text.includes('clear'))
    return steps.flatMap(({ usage }) => callOf(models.chat, usage))
  })

  await suite.check(`a second question${by}`, async () => {
    const ask = { role: 'user', content: prompt }
    const first = await generateText({ model: chat, messages: [ask] })
    const messages = [ask, ...first.response.messages, { role: 'user', content: 'And a budget?' }]
    const second = await generateText({ model: chat, messages })
    assert(second.text.includes('And a budget?'))
    return [...callOf(models.chat, first.usage), ...callOf(models.chat, second.usage)]
  })

  await suite.check(`structured output${by}`, async () => {
    const schema = jsonSchema({
      type: 'object',
      properties: { name: { type: 'string' }, people: { type: 'integer' } },
      required: ['name', 'people'],
      additionalProperties: false,
    })
    const { object, usage } = await generateObject({ model: chat, prompt, schema })
    assert.equal(typeof object.people, 'number')
    return callOf(models.chat, usage)
  })
}

/** What every provider has. `imagesPerCall` of 1: it asks for each image by itself. */
async function checkCommon(suite, { chat, embedding, imaging, imagesPerCall = 2 }) {
  await checkChat(suite, chat)

  await suite.check('an image in a prompt', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image', image, mediaType: 'image/png' },
    ]
    const { usage } = await generateText({ model: chat, messages: [{ role: 'user', content }] })
    assert(usage.inputTokens > 258)
    return callOf(models.chat, usage)
  })

  await suite.check('embeddings', async () => {
    const { embeddings } = await embedMany({ model: embedding, values: ['one', 'two'] })
    assert.equal(embeddings.length, 2)
    return calls(1, models.embedding)
  })

  if (imaging === null) return suite.hasNone('images with a price each')
  await suite.check('images with a price each', async () => {
    const { images } = await generateImage({ model: imaging, prompt: 'A lighthouse', n: 2 })
    assert(images.length === 2 && images.every(({ uint8Array }) => isPng(uint8Array)))
    const one = call(models.image, { image: imagesPerCall })
    return imagesPerCall === 2 ? one : [...one, ...one]
  })
}

async function checkOpenai() {
  const name = '@ai-sdk/openai'
  const openai = providers[name]
  const suite = createSuite(name)
  await checkCommon(suite, {
    // The Responses API.
    chat: openai(models.chat),
    embedding: openai.embedding(models.embedding),
    imaging: openai.image(models.image),
    imagesPerCall: 1,
  })
  await checkChat(suite, openai.chat(models.chat), ' by chat completions')
  // The default `openai(…)` speaks Responses. It sends back references to stored items instead of the items.
  const weather = tool({
    description: 'The weather of a city',
    inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
    execute: async () => ({ sky: 'clear' }),
  })
  const looped = {
    model: openai(models.signed),
    tools: { weather },
  }
  const callsOf = steps => steps.flatMap(({ usage }) => callOf(models.signed, usage))

  await suite.check('Responses: a loop of tool calls with thinking, then another turn', async () => {
    await setSwitches({ toolSteps: 3, toolCalls: 2, thinkingTokens: 9 })
    const asked = { role: 'user', content: 'Weather?' }
    const first = await generateText({ ...looped, messages: [asked], stopWhen: stepCountIs(5) })
    assert.equal(first.steps.length, 4)
    assert(first.steps.slice(0, 3).every(({ toolResults }) => toolResults.length === 2))
    const messages = [asked, ...first.response.messages, { role: 'user', content: 'And tomorrow?' }]
    const second = await generateText({ model: openai(models.signed), messages })
    assert(second.text.includes('tomorrow'))
    return [...callsOf(first.steps), ...callOf(models.signed, second.usage)]
  })

  await suite.check('Responses: an agent that streams, with shown thinking', async () => {
    await setSwitches({ toolSteps: 3, toolCalls: 2, thinkingTokens: 9 })
    const agent = new ToolLoopAgent({
      ...looped,
      stopWhen: stepCountIs(5),
      providerOptions: { openai: { forceReasoning: true, reasoningSummary: 'auto' } },
    })
    const stream = await agent.stream({ prompt: 'Weather?' })
    let text = ''
    for await (const piece of stream.textStream) text += piece
    const steps = await stream.steps
    assert.equal(steps.length, 4)
    assert(text.length > 0 && steps.some(({ reasoningText }) => reasoningText))
    return callsOf(steps)
  })

  await suite.check('images, made by the token', async () => {
    const { image, usage } = await generateImage({
      model: openai.image(models.drawing),
      prompt: 'A cat',
    })
    assert(isPng(image.uint8Array))
    return call(models.drawing, { input: usage.inputTokens, output_image: usage.outputTokens })
  })
  await suite.check('speech', async () => {
    const { audio } = await generateSpeech({
      model: openai.speech(models.speech),
      text: 'Good morning, everyone.',
      voice: 'Kore',
    })
    assert(isMp3(audio.uint8Array))
    return calls(1, models.speech)
  })
  await suite.check('transcription', async () => {
    const { text } = await transcribe({
      model: openai.transcription(models.transcription),
      audio,
    })
    assert(text.length > 0)
    return calls(1, models.transcription)
  })
  suite.hasNone('video')
  return suite
}

async function checkCompatible() {
  const name = '@ai-sdk/openai-compatible'
  const compatible = providers[name]
  const suite = createSuite(name)
  await checkCommon(suite, {
    chat: compatible(models.chat),
    embedding: compatible.embeddingModel(models.embedding),
    imaging: compatible.imageModel(models.image),
  })
  suite.note('`includeUsage` for the usage of a stream, `supportsStructuredOutputs` for schemas.')
  suite.hasNone('speech', 'transcription', 'video')
  return suite
}

/** The client's own download refuses loopback addresses, and puts the key into the query, where the gateway does not accept it. */
async function download({ url }) {
  url.searchParams.delete('key')
  const response = await fetch(url, { headers: { 'x-goog-api-key': apiKey } })
  assert.equal(response.status, 200)
  return {
    data: new Uint8Array(await response.arrayBuffer()),
    mediaType: response.headers.get('content-type'),
  }
}

async function checkGoogle() {
  const name = '@ai-sdk/google'
  const google = providers[name]
  const suite = createSuite(name)
  const isNew = suite.major >= 4
  await checkCommon(suite, {
    chat: google(models.chat),
    embedding: google.embedding(models.embedding),
    imaging: isNew ? null : google.image(models.image),
  })
  if (isNew)
    suite.note(
      'Images with `generateText`, because its `generateImage` takes only names that begin with `gemini-`.',
    )
  await suite.check('images, made by a chat model', async () => {
    const { files, usage } = await generateText({
      model: google(models.drawing),
      prompt: 'A cat',
      providerOptions: { google: { responseModalities: ['IMAGE'] } },
    })
    assert(isPng(files[0].uint8Array))
    return call(models.drawing, { input: usage.inputTokens, output_image: usage.outputTokens })
  })
  await suite.check('video, ordered, watched and downloaded', async () => {
    const { video } = await generateVideo({
      model: google.video(models.geminiVideo),
      prompt: 'Waves [[sandbox: videoMs=0]]',
      providerOptions: { google: { pollIntervalMs: 100 } },
      download,
    })
    assert(isMp4(video.uint8Array))
    return call(models.geminiVideo, { request: 1 })
  })
  // It asks the vendor's Interactions API for transcripts, which the pass-through does not have.
  suite.hasNone('speech', 'transcription')
  return suite
}

const suites = [await checkOpenai(), await checkCompatible(), await checkGoogle()]
process.exit(suites.some(({ hasFailed }) => hasFailed()) ? 1 : 0)
