// Transcription: our call → the form of audio/transcriptions, and its reply → text, timed words and usage.
import type { SpokenWord, TranscriptionCall, TranscriptionResult } from '../../media-port.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'
import type { UsageReport } from '../../port.ts'
import { emptyAnswer } from '../../upstream-failure.ts'
import { mapUsage } from '../map-usage.ts'

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
  // Servers tell the format by the name.
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
    // Some servers give times only for segments.
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

/** Tokens, or else the length of the audio, which is in the usage or beside the text. */
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
