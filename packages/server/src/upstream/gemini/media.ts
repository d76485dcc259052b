// Media over the vendor's API: converts our calls to its bodies, and its replies to images, audio, vectors and texts with their usage.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogModel } from '../../catalog/types.ts'
import { readWav, requirePossible } from '../../media/pcm.ts'
import type { Exchange, KeyedJson } from '../exchange.ts'
import type { Asker } from '../key-ring.ts'
import type {
  EmbeddingsCall,
  ImageCall,
  ImageResult,
  MediaUpstream,
  MusicCall,
  MusicResult,
  SpeechCall,
  SpeechResult,
  SpokenWord,
  TranscriptionCall,
  TranscriptionResult,
} from '../media-port.ts'
import { asArray, asRecord, asString, eitherMember, isPresent } from '../narrow-json.ts'
import type { UsageReport } from '../port.ts'
import type { UpstreamEndpoint } from '../reply-limits.ts'
import { emptyAnswer } from '../upstream-failure.ts'
import { readInlineData } from './chat/map-chat-response.ts'
import { reportTotalTokens, requireAnswer } from './chat/map-usage.ts'

/** `address`: of the API, with its version. Nothing here is stopped when its client leaves. */
export function createGeminiMedia(exchange: Pick<Exchange, 'callJson'>, address: string): MediaUpstream {
  const ask = (
    { upstreamId }: CatalogModel,
    verb: string,
    endpoint: UpstreamEndpoint,
    body: object,
    team: Asker,
  ) =>
    exchange.callJson({
      url: `${address}/models/${upstreamId}:${verb}`,
      body,
      endpoint,
      signal: null,
      team,
    })
  const generate = (model: CatalogModel, endpoint: UpstreamEndpoint, body: object, team: Asker) =>
    ask(model, 'generateContent', endpoint, body, team)
  return Object.freeze<MediaUpstream>({
    makeImages: async (call, team) =>
      call.model.modality === 'imggen'
        ? map(ask(call.model, 'predict', 'images', buildPredictBody(call), team), mapPredictReply)
        : map(generate(call.model, 'images', buildImageBody(call), team), mapImageReply),
    speak: async (call, team) =>
      map(generate(call.model, 'speech', buildSpeechBody(call), team), mapSpeechReply),
    makeMusic: async (call, team) =>
      map(generate(call.model, 'music', buildMusicBody(call), team), mapMusicReply),
    // Embeddings are answered without usage: their tokens are counted in parallel, free of charge.
    embed: async (call, team) => {
      const contents = call.texts.map(text => ({ role: 'user', parts: [{ text }] }))
      const [{ json, upstreamKey }, usage] = await Promise.all([
        ask(call.model, 'batchEmbedContents', 'embeddings', buildEmbeddingsBody(call), team),
        ask(call.model, 'countTokens', 'embeddings', { contents }, team).then(
          counted => reportTotalTokens(counted.json),
          (): UsageReport => ({ kind: 'absent' }),
        ),
      ])
      return { vectors: mapEmbeddings(json, call.texts.length), usage, upstreamKey }
    },
    transcribe: async (call, team) =>
      map(generate(call.model, 'transcription', buildTranscriptionBody(call), team), mapTranscriptionReply),
  })
}

/** An answer's content, and the key that was used for it. */
async function map<Result>(asked: Promise<KeyedJson>, read: (json: unknown) => Result) {
  const { json, upstreamKey } = await asked
  return { ...read(json), upstreamKey }
}

/** The model takes instructions as part of the text. */
export function buildSpeechBody({ text, instructions, voice }: SpeechCall): object {
  const whole = instructions === null ? text : `${instructions}\n\n${text}`
  return {
    contents: [{ role: 'user', parts: [{ text: whole }] }],
    generationConfig: {
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
    },
  }
}

const defaultRate = 24_000

/**
 * Bare samples with their rate in the MIME type, or a WAV file: models differ. Throws ApiError `upstream_error` for an empty reply
 * and for a rate that no audio has.
 */
export function mapSpeechReply(reply: unknown): SpeechResult {
  const { record, usage } = requireAnswer(reply)
  const [first] = readInlineData(record, 'audio')
  if (first === undefined) return { audio: null, usage }
  const bytes = Buffer.from(first.base64, 'base64')
  const rate = Number(/\brate=([^;,\s]*)/i.exec(first.mimeType)?.[1] ?? defaultRate)
  return { audio: requirePossible(readWav(bytes) ?? { samples: bytes, rate }), usage }
}

export function buildMusicBody({ prompt, format }: MusicCall): object {
  const contents = [{ role: 'user', parts: [{ text: prompt }] }]
  if (format === 'mp3') return { contents }
  return { contents, generationConfig: { responseMimeType: 'audio/wav' } }
}

/** Music is billed per song, regardless of reported tokens. Throws ApiError `upstream_error` for an empty reply. */
export function mapMusicReply(reply: unknown): MusicResult {
  const { record } = requireAnswer(reply)
  const [first] = readInlineData(record, 'audio')
  if (first === undefined) return { audio: null, usage: { kind: 'counted', units: {} } }
  return { audio: Buffer.from(first.base64, 'base64'), usage: { kind: 'counted', units: { song: 1 } } }
}

function buildEmbeddingsBody({ model, texts, dimensions }: EmbeddingsCall): object {
  const requests = texts.map(text => ({
    model: `models/${model.upstreamId}`,
    content: { parts: [{ text }] },
    ...(dimensions === null ? {} : { outputDimensionality: dimensions }),
  }))
  return { requests }
}

/** Throws ApiError `upstream_error` unless there is one vector of numbers for each text. */
function mapEmbeddings(reply: unknown, count: number): number[][] {
  const vectors = asArray(asRecord(reply)?.embeddings).map(item =>
    asArray(asRecord(item)?.values).filter(value => typeof value === 'number'),
  )
  if (vectors.length === count && vectors.every(vector => vector.length > 0)) return vectors
  throw new ApiError('upstream_error', { message: 'The model provider sent too few vectors.' })
}

/** For a chat model that draws: `models/{model}:generateContent`. */
export function buildImageBody({ prompt, aspectRatio, images }: ImageCall): object {
  const sent = images.map(({ mimeType, base64 }) => ({ inlineData: { mimeType, data: base64 } }))
  return {
    contents: [{ role: 'user', parts: [{ text: prompt }, ...sent] }],
    generationConfig: {
      responseModalities: ['IMAGE'],
      ...(aspectRatio === null ? {} : { imageConfig: { aspectRatio } }),
    },
  }
}

/** Throws ApiError `upstream_error` for an empty reply. */
export function mapImageReply(reply: unknown): ImageResult {
  const { record, usage } = requireAnswer(reply)
  const images = readInlineData(record, 'image').map(({ base64 }) => ({ base64, revisedPrompt: null }))
  return { images, usage }
}

/** For an image model: `models/{model}:predict`. */
export function buildPredictBody({ prompt, count, aspectRatio }: ImageCall): object {
  return { instances: [{ prompt }], parameters: { sampleCount: count, aspectRatio } }
}

/**
 * Only images are billed. An entry without one explains why it was withheld, or rates the prompt; `{}` means that all were withheld.
 * Throws ApiError `upstream_error` if it is not a reply at all.
 */
export function mapPredictReply(reply: unknown): ImageResult {
  const record = asRecord(reply)
  if (record === null || isPresent(record.error)) throw emptyAnswer()
  const images = asArray(record.predictions).flatMap(item => {
    const prediction = asRecord(item) ?? {}
    const base64 = asString(prediction.bytesBase64Encoded) ?? ''
    return base64 === '' ? [] : [{ base64, revisedPrompt: asString(prediction.prompt) }]
  })
  return { images, usage: { kind: 'counted', units: { image: images.length } } }
}

/** The model refuses a vocabulary together with times. */
export function buildTranscriptionBody(call: TranscriptionCall): object {
  const { audio, mimeType, language, vocabulary, needsTimes } = call
  const audioTranscriptionConfig = {
    ...(language === null ? {} : { languageCodes: [language] }),
    ...(needsTimes ? { wordTimestamp: true } : {}),
    ...(vocabulary.length === 0 || needsTimes ? {} : { customVocabulary: vocabulary }),
  }
  const data = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength).toString('base64')
  return {
    contents: [{ role: 'user', parts: [{ inlineData: { mimeType, data } }] }],
    generationConfig: { audioTranscriptionConfig },
  }
}

/** One part per turn of a speaker, or plain text from some models. Throws ApiError `upstream_error` for an empty reply. */
export function mapTranscriptionReply(reply: unknown): TranscriptionResult {
  const { record, usage } = requireAnswer(reply)
  const [candidate] = asArray(record.candidates)
  const texts: string[] = []
  const words: SpokenWord[] = []
  const languages = new Set<string>()
  for (const item of asArray(asRecord(asRecord(candidate)?.content)?.parts)) {
    const part = asRecord(item) ?? {}
    const spoken = asRecord(eitherMember(part, 'audioTranscription', 'audio_transcription'))
    const text = asString(spoken?.text) ?? asString(part.text)
    if (text !== null && text !== '' && part.thought !== true) texts.push(text)
    const language = asString(eitherMember(spoken ?? {}, 'languageCode', 'language_code'))
    if (language) languages.add(language)
    words.push(...asArray(spoken?.words).flatMap(readWord))
  }
  const [language = null, another] = languages
  // Null if the turns are in multiple languages.
  return { text: texts.join(' '), language: another === undefined ? language : null, words, usage }
}

function readWord(item: unknown): SpokenWord[] {
  const word = asRecord(item) ?? {}
  const text = asString(word.word)
  const start = readSeconds(eitherMember(word, 'startOffset', 'start_offset'))
  const end = readSeconds(eitherMember(word, 'endOffset', 'end_offset'))
  return text === null || start === null || end === null ? [] : [{ text, start, end }]
}

/** `1.2s`. A missing start is 0, because the vendor's JSON leaves defaults out. */
function readSeconds(value: unknown): number | null {
  if (value === undefined) return 0
  const seconds = Number(/^(\d+(?:\.\d+)?)s$/.exec(asString(value) ?? '')?.[1] ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds : null
}
