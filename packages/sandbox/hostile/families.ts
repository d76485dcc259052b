// Families of requests to the vendor, by address. Each fault lists the families that it affects.

export const families = [
  'generate',
  'stream',
  'array',
  'count',
  'embed',
  'predict',
  'order',
  'poll',
  'file',
  'download',
  'storage',
  'openaiChat',
  'openaiStream',
  'openaiEmbeddings',
  'openaiImages',
  'openaiSpeech',
  'openaiTranscription',
  'anthropic',
  'anthropicStream',
  'anthropicCount',
] as const

export type Family = (typeof families)[number]

const verbs: Readonly<Record<string, Family>> = {
  generateContent: 'generate',
  countTokens: 'count',
  embedContent: 'embed',
  batchEmbedContents: 'embed',
  predict: 'predict',
  predictLongRunning: 'order',
}

const openaiPaths: Readonly<Record<string, Family>> = {
  embeddings: 'openaiEmbeddings',
  'images/generations': 'openaiImages',
  'images/edits': 'openaiImages',
  'audio/speech': 'openaiSpeech',
  'audio/transcriptions': 'openaiTranscription',
}

/** Null for requests that no fault affects: lists of models and the sandbox's own side door. `body` shows whether an answer is streamed. */
export function findFamily(target: string, body: string): Family | null {
  const [path = '', query = ''] = target.split('?')
  const verb = /\/models\/[^/:]+:(\w+)$/.exec(path)?.[1]
  if (verb === 'streamGenerateContent') return query.includes('alt=sse') ? 'stream' : 'array'
  if (verb !== undefined) return verbs[verb] ?? null
  if (path.includes('/operations/')) return 'poll'
  if (path.includes('/files/')) return path.endsWith(':download') ? 'download' : 'file'
  if (path.startsWith('/storage/')) return 'storage'
  const isStream = /"stream":\s*true/.test(body)
  if (path === '/anthropic/v1/messages') return isStream ? 'anthropicStream' : 'anthropic'
  if (path === '/anthropic/v1/messages/count_tokens') return 'anthropicCount'
  const openai = /^\/openai\/v1\/(.+)$/.exec(path)?.[1] ?? ''
  if (openai === 'chat/completions') return isStream ? 'openaiStream' : 'openaiChat'
  return openaiPaths[openai] ?? null
}

export const streamed: readonly Family[] = ['stream', 'array', 'openaiStream', 'anthropicStream']
/** Streams of events. The third form is one growing array. */
export const evented: readonly Family[] = ['stream', 'openaiStream', 'anthropicStream']
/** One answer of a model. */
export const answered: readonly Family[] = [
  'generate',
  'embed',
  'predict',
  'openaiChat',
  'openaiEmbeddings',
  'openaiImages',
  'openaiSpeech',
  'openaiTranscription',
  'anthropic',
]
/** Counts of tokens, which cost nothing. */
export const counted: readonly Family[] = ['count', 'anthropicCount']
/** All replies to paid calls, including streams and video orders. */
export const paid: readonly Family[] = [...answered, ...streamed, 'order']
/** Replies in JSON. */
export const written: readonly Family[] = answered.filter(family => family !== 'openaiSpeech')
