// Answers the vendor's list of models, by page, and single entries.
import { invalid } from '../json.ts'
import { findKind, type ModelKind } from './model-kind.ts'

/** Listed if the sandbox starts without a list. It also answers for other models of these families. */
export const usualModels: readonly string[] = [
  'gemini-2.5-flash',
  'gemini-2.5-flash-lite',
  'gemini-2.5-pro',
  'gemini-3-flash-preview',
  'gemini-3-pro-preview',
  'gemini-2.5-flash-image',
  'gemini-2.5-flash-image-preview',
  'gemini-3.1-flash-image',
  'gemini-3.1-flash-lite-image',
  'gemini-3-pro-image',
  'gemini-2.5-flash-preview-tts',
  'gemini-2.5-pro-preview-tts',
  'gemini-3.1-flash-tts-preview',
  'gemini-3.5-transcribe',
  'gemini-embedding-001',
  'imagen-4.0-generate-001',
  'imagen-4.0-fast-generate-001',
  'imagen-4.0-ultra-generate-001',
  'lyria-3-clip-preview',
  'lyria-3-pro-preview',
  'veo-2.0-generate-001',
  'veo-3.0-generate-001',
  'veo-3.0-fast-generate-001',
  'veo-3.1-generate-001',
  'veo-3.1-fast-generate-001',
  'veo-3.1-lite-generate-001',
]

const usualPage = 50
const largestPage = 1_000

/** Throws VendorError 400 for a bad page size or an unknown page token. */
export function listModels(models: readonly string[], query: URLSearchParams): object {
  const size = Number(query.get('pageSize') ?? query.get('page_size') ?? usualPage) || usualPage
  if (!Number.isSafeInteger(size) || size < 0) throw invalid('page_size must be a positive number.')
  const start = readToken(query.get('pageToken') ?? query.get('page_token') ?? '')
  const end = start + Math.min(size, largestPage)
  const page = models.slice(start, end).map(describeModel)
  return { models: page, ...(end < models.length ? { nextPageToken: writeToken(end) } : {}) }
}

function writeToken(start: number): string {
  return Buffer.from(`models:${start}`).toString('base64url')
}

function readToken(token: string): number {
  if (token === '') return 0
  const start = /^models:(\d+)$/.exec(Buffer.from(token, 'base64url').toString())?.[1]
  if (start === undefined) throw invalid('The page token is invalid.')
  return Number(start)
}

const generating = ['generateContent', 'countTokens']
const methods: Readonly<Record<ModelKind, readonly string[]>> = {
  chat: generating,
  image: generating,
  speech: generating,
  music: generating,
  transcription: generating,
  embedding: ['embedContent', 'countTokens', 'batchEmbedContents'],
  imagen: ['predict'],
  video: ['predictLongRunning'],
}

/** The vendor's lists of methods do not name streams. Every model that generates also streams. */
export function hasMethod(model: string, method: string): boolean {
  return methods[findKind(model)].includes(method === 'streamGenerateContent' ? 'generateContent' : method)
}

export function describeModel(id: string): object {
  return {
    name: `models/${id}`,
    version: 'sandbox',
    displayName: id,
    description: `The sandbox's stand-in for ${id}.`,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: methods[findKind(id)],
    ...(findKind(id) === 'chat'
      ? { temperature: 1, topP: 0.95, topK: 64, maxTemperature: 2, thinking: true }
      : {}),
  }
}
