// Media of OpenAI-compatible servers: converts our calls to their bodies and forms, and replies to images, audio, vectors and texts with usage.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { readWav, requirePossible } from '../../media/pcm.ts'
import { type Exchange, idOf } from '../exchange.ts'
import type { Asker } from '../key-ring.ts'
import type { MediaUpstream } from '../media-port.ts'
import {
  countCharacters,
  type EmbeddingsCall,
  type EmbeddingsResult,
  type ImageCall,
  type ImageResult,
  type SpeechCall,
  type SpeechResult,
  type SpokenWord,
  type TranscriptionCall,
  type TranscriptionResult,
} from '../media-port.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../narrow-json.ts'
import type { UsageReport } from '../port.ts'
import type { UpstreamEndpoint } from '../reply-limits.ts'
import { emptyAnswer } from '../upstream-failure.ts'
import { mapUsage } from './map-usage.ts'

/** Nothing here is stopped when its client leaves. */
export function createOpenaiMedia(
  exchange: Pick<Exchange, 'call' | 'callJson'>,
  baseUrl: string,
): MediaUpstream {
  const write = (path: string, endpoint: UpstreamEndpoint, body: object, team: Asker) => ({
    url: `${baseUrl}/${path}`,
    body,
    endpoint,
    team,
    signal: null,
  })
  const ask = (path: string, endpoint: UpstreamEndpoint, body: object, team: Asker) =>
    exchange.callJson(write(path, endpoint, body, team))
  return Object.freeze<MediaUpstream>({
    makeImages: async (call, team) => {
      const { json, upstreamKey } =
        call.images.length === 0
          ? await ask('images/generations', 'images', buildImageBody(call), team)
          : await ask('images/edits', 'images', buildEditForm(call), team)
      return { ...mapImageReply(json, call), upstreamKey }
    },
    speak: (call, team) =>
      exchange.call(write('audio/speech', 'speech', buildSpeechBody(call), team), async (reply, key) => {
        const { buffer, byteOffset, byteLength } = await reply.bytes()
        const type = reply.headers.get('content-type') ?? ''
        const speech = mapSpeechReply(call, type, Buffer.from(buffer, byteOffset, byteLength))
        return { ...speech, upstreamKey: idOf(key) }
      }),
    // The catalog allows no music model on this kind of upstream.
    makeMusic: async () => {
      throw new ApiError('internal')
    },
    embed: async (call, team) => {
      const { json, upstreamKey } = await ask('embeddings', 'embeddings', buildEmbeddingsBody(call), team)
      return { ...mapEmbeddingsReply(json, call.texts.length), upstreamKey }
    },
    transcribe: async (call, team) => {
      const form = buildTranscriptionForm(call)
      const { json, upstreamKey } = await ask('audio/transcriptions', 'transcription', form, team)
      return { ...mapTranscriptionReply(json), upstreamKey }
    },
  })
}

export function buildSpeechBody({ model, text, instructions, voice }: SpeechCall): object {
  return {
    model: model.upstreamId,
    input: text,
    voice,
    ...(instructions === null ? {} : { instructions }),
    // Raw samples, from which we make every other format.
    response_format: 'pcm',
  }
}

const usualRate = 24_000

/** Raw samples, or a WAV file from servers without raw ones. Throws ApiError `upstream_error` for an empty reply or another format. */
export function mapSpeechReply(call: SpeechCall, type: string, bytes: Buffer): SpeechResult {
  const usage = { kind: 'counted', units: { inputCharacter: countCharacters(call) } } as const
  const wav = readWav(bytes)
  if (wav === null ? isEmpty(bytes) : wav.samples.length === 0) throw emptyAnswer()
  if (wav !== null) return { audio: requirePossible(wav), usage }
  if (!/^(?:audio\/(?:pcm|l16|x-pcm|raw|wav|x-wav)|application\/octet-stream)\b/i.test(type) && type !== '') {
    throw new ApiError('upstream_error', {
      message: 'The model provider sent audio in a different format from the one requested.',
    })
  }
  const rate = Number(/\brate=([^;,\s]*)/i.exec(type)?.[1] ?? usualRate)
  return { audio: requirePossible({ samples: bytes, rate }), usage }
}

/** Errors are shorter, and so are samples that happen to be valid JSON. */
const longestError = 65_536

/** No bytes, or JSON (an error, null) that calls itself audio. */
function isEmpty(bytes: Buffer): boolean {
  if (bytes.length === 0) return true
  if (bytes.length > longestError) return false
  try {
    JSON.parse(bytes.toString())
    return true
  } catch {
    return false
  }
}

export function buildEmbeddingsBody({ model, texts, dimensions }: EmbeddingsCall): object {
  return {
    model: model.upstreamId,
    input: texts,
    encoding_format: 'float',
    ...(dimensions === null ? {} : { dimensions }),
  }
}

/** Throws ApiError `upstream_error` unless there is one vector of numbers for each text. */
export function mapEmbeddingsReply(reply: unknown, count: number): EmbeddingsResult {
  const record = asRecord(reply) ?? {}
  const items = asArray(record.data).map(item => asRecord(item) ?? {})
  const ordered = items.every(({ index }) => typeof index === 'number')
    ? items.toSorted((left, right) => Number(left.index) - Number(right.index))
    : items
  const vectors = ordered.map(readVector)
  if (vectors.length === count && vectors.every(vector => vector.length > 0))
    return { vectors, usage: mapUsage(record) }
  throw new ApiError('upstream_error', { message: 'The model provider sent too few vectors.' })
}

function readVector({ embedding }: JsonRecord): number[] {
  return asArray(embedding).filter(value => typeof value === 'number')
}

/** Models billed per image answer with a URL unless asked otherwise. Models billed by tokens refuse `response_format`. */
export function buildImageBody(call: ImageCall): object {
  const { model, prompt, count } = call
  const size = sizeOf(call)
  return {
    model: model.upstreamId,
    prompt,
    n: count,
    ...(size === undefined ? {} : { size }),
    ...(model.modality === 'imggen' ? { response_format: 'b64_json' } : {}),
  }
}

export function buildEditForm(call: ImageCall): FormData {
  const form = new FormData()
  form.append('model', call.model.upstreamId)
  form.append('prompt', call.prompt)
  const size = sizeOf(call)
  if (size !== undefined) form.append('size', size)
  for (const [index, { mimeType, base64 }] of call.images.entries()) {
    const file = new File([Buffer.from(base64, 'base64')], `image-${index + 1}.${mimeType.slice(6)}`, {
      type: mimeType,
    })
    form.append(call.images.length === 1 ? 'image' : 'image[]', file)
  }
  return form
}

function sizeOf({ model, aspectRatio }: ImageCall): string | undefined {
  return aspectRatio === null ? undefined : model.imageSizes.get(aspectRatio)
}

/** Throws ApiError `upstream_error` for an empty reply, and for image URLs, which we do not fetch. */
export function mapImageReply(reply: unknown, { model }: ImageCall): ImageResult {
  const record = asRecord(reply) ?? {}
  const images = asArray(record.data).flatMap(item => {
    const image = asRecord(item) ?? {}
    const base64 = asString(image.b64_json) ?? ''
    if (base64 === '' && asString(image.url) !== null) {
      throw new ApiError('upstream_error', {
        message: 'The model provider sent image URLs instead of images. Tell the organisers.',
      })
    }
    return base64 === '' ? [] : [{ base64, revisedPrompt: asString(image.revised_prompt) }]
  })
  const said = mapUsage(record)
  if (asRecord(record.error) !== null || (images.length === 0 && said.kind === 'absent')) throw emptyAnswer()
  const usage: UsageReport =
    model.modality === 'imggen' ? { kind: 'counted', units: { image: images.length } } : countAsImage(said)
  return { images, usage }
}

/** The output of such a model is its image, unless the reply lists text tokens separately. */
function countAsImage(report: UsageReport): UsageReport {
  if (report.kind !== 'reported' || report.usage.media?.outputImage !== undefined) return report
  const { usage } = report
  return { kind: 'reported', usage: { ...usage, media: { ...usage.media, outputImage: usage.outputTokens } } }
}

const extensions: Readonly<Record<string, string>> = {
  'audio/mp3': 'mp3',
  'audio/mp4': 'm4a',
}

export function buildTranscriptionForm(call: TranscriptionCall): FormData {
  const { model, audio, mimeType, language, prompt, needsTimes } = call
  const form = new FormData()
  form.append('model', model.upstreamId)
  form.append('response_format', needsTimes ? 'verbose_json' : 'json')
  if (needsTimes) form.append('timestamp_granularities[]', 'word')
  if (language !== null) form.append('language', language)
  if (prompt !== null) form.append('prompt', prompt)
  // Servers recognise the format by the name.
  const name = `recording.${extensions[mimeType] ?? mimeType.slice('audio/'.length)}`
  const bytes = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength)
  form.append('file', new File([bytes], name, { type: mimeType.replace('audio/mp3', 'audio/mpeg') }))
  return form
}

/** Throws ApiError `upstream_error` for an empty reply. Silence has a text too, which is empty. */
export function mapTranscriptionReply(reply: unknown): TranscriptionResult {
  const record = asRecord(reply) ?? {}
  const text = asString(record.text)
  const usage = readUsage(record)
  const isAnswer = text !== null || usage.kind !== 'absent' || asArray(record.segments).length > 0
  if (!isAnswer || asRecord(record.error) !== null) throw emptyAnswer()
  const words = asArray(record.words).flatMap(item => readTimed(item, 'word'))
  return {
    text: text ?? '',
    language: asString(record.language) || null,
    // Some servers return times only for segments.
    words: words.length > 0 ? words : asArray(record.segments).flatMap(item => readTimed(item, 'text')),
    usage,
  }
}

function readTimed(item: unknown, member: 'word' | 'text'): SpokenWord[] {
  const record = asRecord(item) ?? {}
  const text = asString(record[member])?.trim()
  const { start, end } = record
  return text === undefined || typeof start !== 'number' || typeof end !== 'number'
    ? []
    : [{ text, start, end }]
}

/** Tokens per second of audio, for servers that report seconds: `input_audio` is a price per million tokens. */
const tokensPerSecond = 32
const longestSeconds = 1_000_000

/** Tokens, otherwise the length of the audio, which is in the usage or next to the text. */
function readUsage(record: JsonRecord): UsageReport {
  const usage = asRecord(record.usage)
  const seconds = usage?.type === 'duration' ? usage.seconds : usage === null ? record.duration : undefined
  if (seconds === undefined) return mapUsage(record)
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= longestSeconds))
    return { kind: 'invalid', said: { seconds } }
  const inputAudio = Math.ceil(seconds * tokensPerSecond)
  return {
    kind: 'reported',
    usage: {
      inputTokens: inputAudio,
      cachedTokens: 0,
      outputTokens: 0,
      reasoningTokens: 0,
      media: { inputAudio },
    },
  }
}
