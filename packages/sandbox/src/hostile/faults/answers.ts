// Answers of another shape than asked for: too many, too few, of the wrong kind, or too large.
import type { Json } from '../../json.ts'
import type { Family } from '../families.ts'
import {
  candidatesOf,
  type Reshape,
  reshape,
  withCandidate,
  withChoice,
  withMessage,
  withParts,
} from '../reshape.ts'
import { type Fault, type Faults, nest, type Script, sendWhole } from '../script.ts'

const vendorChat: readonly Family[] = ['generate', 'stream', 'array']
const openaiChat: readonly Family[] = ['openaiChat', 'openaiStream']
const chat: readonly Family[] = [...vendorChat, ...openaiChat]

const answer = (does: string, bites: readonly Family[], change: Reshape): Fault => ({
  does,
  bites,
  play: reshape(change),
})
/** The same distortion in both dialects. */
const both = (does: string, vendor: Reshape, openai: Reshape): Fault =>
  answer(does, chat, (reply, place) => ('choices' in reply ? openai : vendor)(reply, place))

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
const image = { inlineData: { mimeType: 'image/png', data: pixel } }
const pcm = (rate: string, bytes = 4800) => ({
  inlineData: { mimeType: `audio/L16;codec=pcm;rate=${rate}`, data: Buffer.alloc(bytes).toString('base64') },
})
const large = (megabytes: number) => 'Lorem ipsum. '.repeat(megabytes * 77_000)

/** Distorts the first piece of a stream. */
const longText = (megabytes: number): Fault =>
  both(
    `a text of ${megabytes} MB`,
    (reply, place) =>
      place.index === 0 ? withParts(() => [{ text: large(megabytes) }])(reply, place) : reply,
    (reply, place) =>
      place.index === 0
        ? withMessage(message => ({ ...message, content: large(megabytes) }))(reply, place)
        : reply,
  )

/** Arguments nested too deeply for a recursive serializer, so they are written by hand. */
function deepCall({ family }: { readonly family: Family }): Script {
  const text = `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"weather","args":${nest(100_000)}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":5,"totalTokenCount":10}}`
  if (family === 'stream') return sendWhole(200, `data: ${text}\n\n`, 'text/event-stream')
  return sendWhole(200, family === 'array' ? `[${text}]` : text)
}

const predicted =
  (change: (predictions: readonly unknown[]) => unknown): Reshape =>
  reply => ({
    ...reply,
    predictions: change(Array.isArray(reply.predictions) ? reply.predictions : []),
  })
const drawn =
  (change: (data: readonly unknown[]) => unknown): Reshape =>
  reply => ({
    ...reply,
    data: change(Array.isArray(reply.data) ? reply.data : []),
  })

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
      data: (Array.isArray(reply.data) ? reply.data : []).map(item => one(item, 'embedding')),
    }
  })
const lists = (does: string, change: (list: readonly unknown[]) => unknown): Fault =>
  answer(does, ['embed', 'openaiEmbeddings'], reply => {
    if ('embedding' in reply)
      return { ...reply, embedding: (change([reply.embedding]) as unknown[] | null)?.[0] }
    const name = 'embeddings' in reply ? 'embeddings' : 'data'
    const given = reply[name]
    return { ...reply, [name]: change(Array.isArray(given) ? given : []) }
  })

export const answerFaults: Faults = {
  'candidates-none': both(
    'no candidate',
    reply => ({ ...reply, candidates: [] }),
    reply => ({ ...reply, choices: [] }),
  ),
  'candidates-null': both(
    'null as candidates',
    reply => ({ ...reply, candidates: null }),
    reply => ({ ...reply, choices: null }),
  ),
  'candidates-text': both(
    'a text as candidates',
    reply => ({ ...reply, candidates: 'one' }),
    reply => ({ ...reply, choices: 'one' }),
  ),
  'candidates-nulls': both(
    'a candidate that is null',
    reply => ({ ...reply, candidates: [null] }),
    reply => ({ ...reply, choices: [null] }),
  ),
  'candidates-more': both(
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
  ),
  'index-wrong': both(
    'an index that nobody asked for',
    withCandidate(candidate => ({ ...candidate, index: 7_000_000_000 })),
    withChoice(choice => ({ ...choice, index: -3 })),
  ),
  'role-wrong': both(
    'the role of the user',
    withCandidate(candidate => ({ ...candidate, content: { ...(candidate.content as Json), role: 'user' } })),
    withMessage(message => ({ ...message, role: 'user' })),
  ),
  'content-null': both(
    'null as content',
    withCandidate(candidate => ({ ...candidate, content: null })),
    withMessage(message => ({ ...message, content: null })),
  ),
  'finish-unknown': both(
    'a finish reason that nobody knows',
    withCandidate(candidate => ({ ...candidate, finishReason: 'BORED' })),
    withChoice(choice => ({ ...choice, finish_reason: 'bored' })),
  ),
  'finish-number': both(
    'a finish reason that is a number',
    withCandidate(candidate => ({ ...candidate, finishReason: 7 })),
    withChoice(choice => ({ ...choice, finish_reason: 7 })),
  ),
  'parts-empty': answer(
    'no parts',
    vendorChat,
    withParts(() => []),
  ),
  'parts-null': answer(
    'null as parts',
    vendorChat,
    withParts(() => null),
  ),
  'parts-nulls': answer(
    'parts that are null',
    vendorChat,
    withParts(() => [null, null]),
  ),
  'parts-unknown': answer(
    'a kind of part that nobody knows',
    vendorChat,
    withParts(parts => [...parts, { hologram: { data: 'AAAA' } }]),
  ),
  'text-number': both(
    'a number as text',
    withParts(() => [{ text: 42 }]),
    withMessage(message => ({ ...message, content: 42 })),
  ),
  'text-3mb': longText(3),
  'text-50mb': { ...longText(50), endless: 'flood' },
  'call-deep': {
    does: 'a function call with arguments nested 100,000 deep',
    bites: vendorChat,
    play: deepCall,
  },
  'call-args-text': both(
    'a function call whose arguments are a text',
    withParts(() => [call('weather', 'Paris')]),
    withMessage(calls(1, 'weather', '{"city": ')),
  ),
  'call-args-list': both(
    'a function call whose arguments are a list',
    withParts(() => [call('weather', [1, 2])]),
    withMessage(calls(1, 'weather', '[1,2]')),
  ),
  'call-args-deep-text': both(
    'a function call with arguments nested 5,000 deep',
    withParts(() => [call('weather', JSON.parse(nest(5000)))]),
    withMessage(calls(1, 'weather', nest(100_000))),
  ),
  'call-unknown': both(
    'a call of a function that was not declared',
    withParts(() => [call('launch_missiles', {})]),
    withMessage(calls(1, 'launch_missiles', '{}')),
  ),
  'call-nameless': both(
    'a function call without a name',
    withParts(() => [call(undefined, {})]),
    withMessage(calls(1, undefined, '{}')),
  ),
  'call-null': both(
    'a function call that is null',
    withParts(() => [{ functionCall: null }]),
    withMessage(message => ({ ...message, tool_calls: [null] })),
  ),
  'call-10000': both(
    '10,000 function calls',
    (reply, place) =>
      place.index === 0
        ? withParts(() =>
            Array.from({ length: 10_000 }, (_, index) => call('weather', { city: `c${index}` })),
          )(reply, place)
        : reply,
    (reply, place) => (place.index === 0 ? withMessage(calls(10_000, 'weather', '{}'))(reply, place) : reply),
  ),
  'images-more': {
    does: 'nine images where fewer were asked for',
    bites: ['generate', 'stream', 'array', 'predict', 'openaiImages'],
    play: reshape((reply, place) =>
      'predictions' in reply
        ? predicted(list => Array.from({ length: 9 }, () => list[0]))(reply, place)
        : 'data' in reply
          ? drawn(list => Array.from({ length: 9 }, () => list[0]))(reply, place)
          : withParts(() => Array.from({ length: 9 }, () => image))(reply, place),
    ),
  },
  'images-none': {
    does: 'no image',
    bites: ['predict', 'openaiImages'],
    play: reshape((reply, place) => ('data' in reply ? drawn(() => []) : predicted(() => []))(reply, place)),
  },
  'images-nulls': {
    does: 'images that are null',
    bites: ['predict', 'openaiImages'],
    play: reshape((reply, place) =>
      ('data' in reply ? drawn(() => [null]) : predicted(() => [null, 7]))(reply, place),
    ),
  },
  'images-fewer-bytes': {
    does: 'images that are cut',
    bites: ['predict', 'openaiImages'],
    play: reshape(reply =>
      JSON.parse(
        JSON.stringify(reply).replaceAll(/"(bytesBase64Encoded|b64_json)":"([^"]{20})[^"]*"/g, '"$1":"$2"'),
      ),
    ),
  },
  'base64-invalid': answer('media that are not Base64', ['generate', 'predict', 'openaiImages'], reply =>
    JSON.parse(
      JSON.stringify(reply).replaceAll(
        /"(data|bytesBase64Encoded|b64_json)":"[^"]*"/g,
        '"$1":"@@ no base64 @@"',
      ),
    ),
  ),
  'base64-empty': answer('media without a byte', ['generate', 'predict', 'openaiImages'], reply =>
    JSON.parse(JSON.stringify(reply).replaceAll(/"(data|bytesBase64Encoded|b64_json)":"[^"]*"/g, '"$1":""')),
  ),
  'media-number': answer('media that are a number', ['generate', 'predict', 'openaiImages'], reply =>
    JSON.parse(JSON.stringify(reply).replaceAll(/"(data|bytesBase64Encoded|b64_json)":"[^"]*"/g, '"$1":7')),
  ),
  'mime-wrong': answer('media that call themselves a page', ['generate', 'stream', 'predict'], reply =>
    JSON.parse(
      JSON.stringify(reply).replaceAll(/"mimeType":"[^"]*"/g, '"mimeType":"text/html\\r\\nx-injected: 1"'),
    ),
  ),
  'mime-absent': answer('media without a type', ['generate', 'stream', 'predict'], reply =>
    JSON.parse(JSON.stringify(reply).replaceAll(/"mimeType":"[^"]*"/g, '"mimeType":null')),
  ),
  'audio-rate-zero': answer(
    'audio with 0 samples a second',
    ['generate', 'stream'],
    withParts(() => [pcm('0')]),
  ),
  'audio-rate-negative': answer(
    'audio with -24000 samples a second',
    ['generate', 'stream'],
    withParts(() => [pcm('-24000')]),
  ),
  'audio-rate-huge': answer(
    'audio with 1e12 samples a second',
    ['generate', 'stream'],
    withParts(() => [pcm('1000000000000')]),
  ),
  'audio-rate-text': answer(
    'audio whose rate is a word',
    ['generate', 'stream'],
    withParts(() => [pcm('fast')]),
  ),
  'audio-rate-odd': answer(
    'audio with 17 samples a second',
    ['generate', 'stream'],
    withParts(() => [pcm('17')]),
  ),
  'audio-odd-bytes': answer(
    'half a sample of audio',
    ['generate', 'stream'],
    withParts(() => [pcm('24000', 4801)]),
  ),
  'audio-one-byte': answer(
    'one byte of audio',
    ['generate', 'stream'],
    withParts(() => [pcm('24000', 1)]),
  ),
  'audio-many-parts': answer(
    'a thousand parts of audio',
    ['generate'],
    withParts(() => Array.from({ length: 1000 }, () => pcm('24000', 48))),
  ),
  'vectors-none': lists('no vector', () => []),
  'vectors-more': lists('ten vectors for each', list =>
    list.flatMap(item => Array.from({ length: 10 }, () => item)),
  ),
  'vectors-null': lists('null for each vector', list => list.map(() => null)),
  'vector-empty': vectors('vectors without a number', () => []),
  'vector-texts': vectors('vectors of texts', values => values.map(String)),
  'vector-nulls': vectors('vectors of nulls (what NaN becomes)', values => values.map(() => null)),
  'vector-huge': vectors('numbers that a float cannot hold', values => values.map(() => 1e300)),
  'vector-ragged': vectors('one number too few', values => values.slice(1)),
  'vector-long': vectors('vectors of 200,000 numbers', () => Array.from({ length: 200_000 }, () => 0.25)),
  'transcript-absent': {
    does: 'a transcript without text',
    bites: ['generate', 'openaiTranscription'],
    play: reshape((reply, place) =>
      'candidates' in reply
        ? withParts(() => [{ audioTranscription: {} }])(reply, place)
        : { ...reply, text: undefined },
    ),
  },
  'transcript-number': {
    does: 'a transcript that is a number, with times that run backwards',
    bites: ['generate', 'openaiTranscription'],
    play: reshape((reply, place) =>
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
  },
  'blocked-odd': answer('a block reason that is an object', vendorChat, reply => ({
    ...reply,
    candidates: undefined,
    promptFeedback: { blockReason: { a: 1 } },
  })),
  'grounding-odd': answer(
    'grounding of wrong types',
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
    '10,000 searches of the web',
    vendorChat,
    withCandidate(candidate => ({
      ...candidate,
      groundingMetadata: { webSearchQueries: Array.from({ length: 10_000 }, (_, index) => `q${index}`) },
    })),
  ),
}
