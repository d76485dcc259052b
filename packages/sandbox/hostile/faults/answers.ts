// Answers with an unexpected shape: too many, too few, of the wrong kind, or too large.
import type { Json } from '../../src/json.ts'
import type { Family } from '../families.ts'
import {
  candidatesOf,
  type Reshape,
  reshape,
  withBlocks,
  withCandidate,
  withChoice,
  withEnd,
  withMessage,
  withParts,
} from '../reshape.ts'
import { type Fault, type Faults, fault, nest, type Script, sendWhole } from '../script.ts'

const vendorChat: readonly Family[] = ['generate', 'stream', 'array']
const openaiChat: readonly Family[] = ['openaiChat', 'openaiStream']
const images: readonly Family[] = ['predict', 'openaiImages']
const anthropicChat: readonly Family[] = ['anthropic', 'anthropicStream']
const chat: readonly Family[] = [...vendorChat, ...openaiChat, ...anthropicChat]

const answer = (does: string, bites: readonly Family[], change: Reshape): Fault =>
  fault(does, bites, reshape(change))
/** The same distortion in all dialects. Each changes nothing in the others. */
const inAll = (does: string, vendor: Reshape, openai: Reshape, anthropic: Reshape): Fault =>
  answer(does, chat, (reply, place) => {
    if ('choices' in reply) return openai(reply, place)
    return ('type' in reply ? anthropic : vendor)(reply, place)
  })

/** Replaces the list of answers. */
const lists = (does: string, list: unknown): Fault =>
  inAll(
    does,
    reply => ({ ...reply, candidates: list }),
    reply => ({ ...reply, choices: list }),
    withBlocks(() => list),
  )
/** Changes members of the first answer. */
const marked = (does: string, vendor: Json, openai: Json, anthropic: Json): Fault =>
  inAll(
    does,
    withCandidate(candidate => ({ ...candidate, ...vendor })),
    withChoice(choice => ({ ...choice, ...openai })),
    withEnd(anthropic),
  )
const parts = (does: string, list: unknown, bites = vendorChat): Fault =>
  answer(
    does,
    bites,
    withParts(() => list),
  )
const heard = (does: string, piece: object): Fault => parts(does, [piece], ['generate', 'stream'])
/** One function call; OpenAI's arguments are a string. */
const called = (does: string, name: unknown, args: unknown, text: string): Fault =>
  inAll(
    does,
    withParts(() => [call(name, args)]),
    withMessage(calls(1, name, text)),
    withBlocks(() => [use(name, args)]),
  )
/** Changes the reply's text. */
const replaced = (does: string, bites: readonly Family[], pattern: RegExp, by: string): Fault =>
  answer(does, bites, reply => JSON.parse(JSON.stringify(reply).replaceAll(pattern, by)))

const use = (name: unknown, input: unknown) => ({ type: 'tool_use', id: 'toolu_1', name, input })
const call = (name: unknown, args: unknown) => ({ functionCall: { name, args } })
const calls = (count: number, name: unknown, text: unknown) => (message: Json) => ({
  ...message,
  content: null,
  tool_calls: Array.from({ length: count }, (_, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: text },
  })),
})

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='
const mediaTexts = /"(data|bytesBase64Encoded|b64_json)":"[^"]*"/g
const image = { inlineData: { mimeType: 'image/png', data: pixel } }
const pcm = (rate: string, bytes = 4800) => ({
  inlineData: { mimeType: `audio/L16;codec=pcm;rate=${rate}`, data: Buffer.alloc(bytes).toString('base64') },
})
const large = (megabytes: number) => 'Lorem ipsum. '.repeat(megabytes * 77_000)

/** Distorts the first piece of a stream. */
const longText = (megabytes: number): Fault =>
  inAll(
    `a text of ${megabytes} MB`,
    (reply, place) =>
      place.index === 0 ? withParts(() => [{ text: large(megabytes) }])(reply, place) : reply,
    (reply, place) =>
      place.index === 0
        ? withMessage(message => ({ ...message, content: large(megabytes) }))(reply, place)
        : reply,
    withBlocks(() => [{ type: 'text', text: large(megabytes), citations: null }]),
  )

/** Arguments nested too deeply for a recursive serializer, so they are written by hand. */
function deepCall({ family }: { readonly family: Family }): Script {
  const text = `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"weather","args":${nest(100_000)}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":5,"totalTokenCount":10}}`
  if (family === 'stream') return sendWhole(200, `data: ${text}\n\n`, 'text/event-stream')
  return sendWhole(200, family === 'array' ? `[${text}]` : text)
}

const listed =
  (name: 'predictions' | 'data', change: (list: readonly unknown[]) => unknown): Reshape =>
  reply => ({ ...reply, [name]: change(listOf(reply[name])) })
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The vectors of either dialect. */
const vectors = (does: string, change: (values: readonly unknown[]) => unknown): Fault =>
  answer(does, ['embed', 'openaiEmbeddings'], reply => {
    const one = (item: unknown, name: 'values' | 'embedding'): unknown => {
      const values = (item as Json | null)?.[name]
      return { ...(item as Json), [name]: Array.isArray(values) ? change(values) : change([0.5, 0.5]) }
    }
    if ('embedding' in reply) return { ...reply, embedding: one(reply.embedding, 'values') }
    if (Array.isArray(reply.embeddings))
      return { ...reply, embeddings: reply.embeddings.map(item => one(item, 'values')) }
    return {
      ...reply,
      data: listOf(reply.data).map(item => one(item, 'embedding')),
    }
  })
const embeddings = (does: string, change: (list: readonly unknown[]) => unknown): Fault =>
  answer(does, ['embed', 'openaiEmbeddings'], reply => {
    if ('embedding' in reply)
      return { ...reply, embedding: (change([reply.embedding]) as unknown[] | null)?.[0] }
    const name = 'embeddings' in reply ? 'embeddings' : 'data'
    return { ...reply, [name]: change(listOf(reply[name])) }
  })

export const answerFaults: Faults = {
  'candidates-none': lists('no candidate', []),
  'candidates-null': lists('null as candidates', null),
  'candidates-text': lists('a text as candidates', 'one'),
  'candidates-nulls': lists('a candidate that is null', [null]),
  'candidates-more': inAll(
    'fifty candidates',
    reply => ({
      ...reply,
      candidates: Array.from({ length: 50 }, (_, index) => ({ ...candidatesOf(reply)[0], index })),
    }),
    reply => ({
      ...reply,
      choices: Array.from({ length: 50 }, (_, index) => ({
        ...((reply.choices as Json[] | undefined)?.[0] ?? {}),
        index,
      })),
    }),
    withBlocks(blocks => Array.from({ length: 50 }, () => blocks[0])),
  ),
  'index-wrong': marked('an unrequested index', { index: 7_000_000_000 }, { index: -3 }, { index: 1e300 }),
  'role-wrong': inAll(
    "the user's role",
    withCandidate(candidate => ({ ...candidate, content: { ...(candidate.content as Json), role: 'user' } })),
    withMessage(message => ({ ...message, role: 'user' })),
    reply => ('role' in reply ? { ...reply, role: 'user' } : reply),
  ),
  'content-null': inAll(
    'null as content',
    withCandidate(candidate => ({ ...candidate, content: null })),
    withMessage(message => ({ ...message, content: null })),
    withBlocks(() => null),
  ),
  'finish-unknown': marked(
    'an unknown finish reason',
    { finishReason: 'BORED' },
    { finish_reason: 'bored' },
    { stop_reason: 'bored' },
  ),
  'finish-number': marked(
    'a finish reason that is a number',
    { finishReason: 7 },
    { finish_reason: 7 },
    { stop_reason: 7 },
  ),
  'parts-empty': parts('no parts', []),
  'parts-null': parts('null as parts', null),
  'parts-nulls': parts('parts that are null', [null, null]),
  'parts-unknown': answer(
    'an unknown kind of part',
    vendorChat,
    withParts(parts => [...parts, { hologram: { data: 'AAAA' } }]),
  ),
  'text-number': inAll(
    'a number as text',
    withParts(() => [{ text: 42 }]),
    withMessage(message => ({ ...message, content: 42 })),
    withBlocks(() => [{ type: 'text', text: 42 }]),
  ),
  'text-3mb': longText(3),
  'text-50mb': { ...longText(50), endless: 'flood' },
  'call-deep': fault('a function call with arguments nested 100,000 deep', vendorChat, deepCall),
  'call-args-text': called('a function call with text as arguments', 'weather', 'Paris', '{"city": '),
  'call-args-list': called('a function call with a list as arguments', 'weather', [1, 2], '[1,2]'),
  'call-args-deep-text': called(
    'a function call with arguments nested 5,000 deep',
    'weather',
    JSON.parse(nest(5000)),
    nest(100_000),
  ),
  'call-unknown': called('a call of a function that was not declared', 'launch_missiles', {}, '{}'),
  'call-nameless': called('a function call without a name', undefined, {}, '{}'),
  'call-null': inAll(
    'a function call that is null',
    withParts(() => [{ functionCall: null }]),
    withMessage(message => ({ ...message, tool_calls: [null] })),
    withBlocks(() => [null]),
  ),
  'call-10000': inAll(
    '10,000 function calls',
    (reply, place) =>
      place.index === 0
        ? withParts(() =>
            Array.from({ length: 10_000 }, (_, index) => call('weather', { city: `c${index}` })),
          )(reply, place)
        : reply,
    (reply, place) => (place.index === 0 ? withMessage(calls(10_000, 'weather', '{}'))(reply, place) : reply),
    withBlocks(() => Array.from({ length: 10_000 }, () => use('weather', {}))),
  ),
  'images-more': answer(
    'nine images when fewer were requested',
    ['generate', 'stream', 'array', 'predict', 'openaiImages'],
    (reply, place) => {
      const nine = (one: unknown) => Array.from({ length: 9 }, () => one)
      if ('predictions' in reply) return listed('predictions', list => nine(list[0]))(reply, place)
      if ('data' in reply) return listed('data', list => nine(list[0]))(reply, place)
      return withParts(() => nine(image))(reply, place)
    },
  ),
  'images-none': answer('no image', images, reply => ({
    ...reply,
    ['data' in reply ? 'data' : 'predictions']: [],
  })),
  'images-nulls': answer('images that are null', images, reply =>
    'data' in reply ? { ...reply, data: [null] } : { ...reply, predictions: [null, 7] },
  ),
  'images-fewer-bytes': replaced(
    'images that are cut',
    images,
    /"(bytesBase64Encoded|b64_json)":"([^"]{20})[^"]*"/g,
    '"$1":"$2"',
  ),
  'base64-invalid': replaced(
    'media that are not Base64',
    ['generate', 'predict', 'openaiImages'],
    mediaTexts,
    '"$1":"@@ no base64 @@"',
  ),
  'base64-empty': replaced(
    'media without bytes',
    ['generate', 'predict', 'openaiImages'],
    mediaTexts,
    '"$1":""',
  ),
  'media-number': replaced(
    'media that are a number',
    ['generate', 'predict', 'openaiImages'],
    mediaTexts,
    '"$1":7',
  ),
  'mime-wrong': replaced(
    'media labelled as a web page',
    ['generate', 'stream', 'predict'],
    /"mimeType":"[^"]*"/g,
    '"mimeType":"text/html\\r\\nx-injected: 1"',
  ),
  'mime-absent': replaced(
    'media without a type',
    ['generate', 'stream', 'predict'],
    /"mimeType":"[^"]*"/g,
    '"mimeType":null',
  ),
  'audio-rate-zero': heard('audio with 0 samples a second', pcm('0')),
  'audio-rate-negative': heard('audio with -24000 samples a second', pcm('-24000')),
  'audio-rate-huge': heard('audio with 1e12 samples a second', pcm('1000000000000')),
  'audio-rate-text': heard('audio with a word as its rate', pcm('fast')),
  'audio-rate-odd': heard('audio with 17 samples a second', pcm('17')),
  'audio-odd-bytes': heard('half a sample of audio', pcm('24000', 4801)),
  'audio-one-byte': heard('one byte of audio', pcm('24000', 1)),
  'audio-many-parts': parts(
    'a thousand parts of audio',
    Array.from({ length: 1000 }, () => pcm('24000', 48)),
    ['generate'],
  ),
  'vectors-none': embeddings('no vector', () => []),
  'vectors-more': embeddings('ten vectors for each input', list =>
    list.flatMap(item => Array.from({ length: 10 }, () => item)),
  ),
  'vectors-null': embeddings('null in place of each vector', list => list.map(() => null)),
  'vector-empty': vectors('vectors without numbers', () => []),
  'vector-texts': vectors('vectors of strings', values => values.map(String)),
  'vector-nulls': vectors('vectors of nulls (what NaN becomes)', values => values.map(() => null)),
  'vector-huge': vectors('numbers out of range for a float', values => values.map(() => 1e300)),
  'vector-ragged': vectors('one number too few', values => values.slice(1)),
  'vector-long': vectors('vectors of 200,000 numbers', () => Array.from({ length: 200_000 }, () => 0.25)),
  'transcript-absent': answer(
    'a transcript without text',
    ['generate', 'openaiTranscription'],
    (reply, place) =>
      'candidates' in reply
        ? withParts(() => [{ audioTranscription: {} }])(reply, place)
        : { ...reply, text: undefined },
  ),
  'transcript-number': answer(
    'a transcript that is a number, with times that run backwards',
    ['generate', 'openaiTranscription'],
    (reply, place) =>
      'candidates' in reply
        ? withParts(() => [
            {
              audioTranscription: {
                text: 7,
                words: [{ word: 'a', startOffset: '9s', endOffset: '-1s' }, null],
              },
            },
          ])(reply, place)
        : { ...reply, text: 7, segments: [null, { start: 9, end: -1, text: 5 }], duration: -1 },
  ),
  'blocks-unknown': answer(
    'an unknown kind of block',
    anthropicChat,
    withBlocks(blocks => [{ type: 'hologram', data: 'AAAA' }, ...blocks]),
  ),
  'thinking-odd': answer(
    'thoughts with wrong types, unsigned',
    anthropicChat,
    withBlocks(blocks => [{ type: 'thinking', thinking: 7, signature: null }, ...blocks]),
  ),
  'refusal-odd': answer(
    'a refusal that explains nothing',
    anthropicChat,
    withEnd({ stop_reason: 'refusal', stop_details: { type: 7, explanation: [] } }),
  ),
  'blocked-odd': answer('a block reason that is an object', vendorChat, reply => ({
    ...reply,
    candidates: undefined,
    promptFeedback: { blockReason: { a: 1 } },
  })),
  'grounding-odd': answer(
    'grounding with wrong types',
    vendorChat,
    withCandidate(candidate => ({
      ...candidate,
      groundingMetadata: {
        webSearchQueries: 'x'.repeat(1000),
        groundingChunks: [null, 7],
        groundingSupports: {},
      },
      safetyRatings: 'none',
      citationMetadata: [],
    })),
  ),
  'searches-many': answer(
    '10,000 web searches',
    vendorChat,
    withCandidate(candidate => ({
      ...candidate,
      groundingMetadata: { webSearchQueries: Array.from({ length: 10_000 }, (_, index) => `q${index}`) },
    })),
  ),
}
