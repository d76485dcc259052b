// The path of a route → the kind of call it makes, as the ledger names it: a refused call has no plan that would tell.
const names: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'responses',
  '/v1/messages': 'messages',
  '/v1/images/generations': 'images',
  '/v1/images/edits': 'images',
  '/v1/audio/speech': 'speech',
  '/v1/audio/transcriptions': 'transcription',
  '/v1/embeddings': 'embeddings',
  '/v1/videos': 'videos',
}

/** Paths of the pass-through end in their verb. */
export function nameEndpoint(path: string): string {
  const verb = /:([A-Za-z]+)$/.exec(path)?.[1]
  const named = names[path] ?? names[`/v1${path}`]
  if (named !== undefined) return named
  if (verb === undefined) return path
  return verb === 'streamGenerateContent' ? 'generateContent' : verb
}
