// Writes a transcript in the requested format: JSON with or without times, plain text, or subtitles.
import type {
  TranscriptionFormat,
  TranscriptionRequest,
} from '@fairgate/contracts/audio/transcription-request.ts'
import type { Transcription, VerboseTranscription } from '@fairgate/contracts/audio/transcription-response.ts'
import type { SpokenWord, TranscriptionResult } from '../../../upstream/media-port.ts'
import { sumUsage } from '../../flow/meter.ts'
import { writeEvents } from '../write-events.ts'

type Headers = Readonly<Record<string, string>>

/** `seconds`: the length of the recording; null if its file does not contain it, or if no times were requested. */
export function writeTranscript(
  result: TranscriptionResult,
  request: TranscriptionRequest,
  seconds: number | null,
  headers: Headers,
): Response {
  if (request.stream === 'true') return writeEvents(buildEvents(result), headers)
  const format: TranscriptionFormat = request.response_format ?? 'json'
  switch (format) {
    case 'json':
      return Response.json(buildTranscription(result), { headers })
    case 'verbose_json':
      return Response.json(buildVerbose(result, request, seconds), { headers })
    case 'text':
      return sendText(`${result.text}\n`, 'text/plain', headers)
    case 'srt':
      return sendText(
        writeCues(buildSegments(result, seconds), ',', id => `${id + 1}\n`),
        'application/x-subrip',
        headers,
      )
    case 'vtt':
      return sendText(
        `WEBVTT\n\n${writeCues(buildSegments(result, seconds), '.', () => '')}`,
        'text/vtt',
        headers,
      )
  }
}

function sendText(text: string, type: string, headers: Headers): Response {
  return new Response(text, { headers: { ...headers, 'content-type': `${type}; charset=utf-8` } })
}

function buildTranscription(result: TranscriptionResult): Transcription {
  return { text: result.text, usage: buildUsage(result), task: 'transcribe' }
}

/** The whole text in one piece: it is complete when the first event can be sent. */
function buildEvents(result: TranscriptionResult) {
  const { text } = result
  return [
    { type: 'transcript.text.delta', delta: text },
    { type: 'transcript.text.done', text, usage: buildUsage(result) },
  ]
}

function buildUsage({ usage }: TranscriptionResult): Transcription['usage'] {
  const { inputTokens, outputTokens } = sumUsage([usage])
  const audio = (usage.kind === 'reported' ? usage.usage.media?.inputAudio : null) ?? 0
  return {
    type: 'tokens',
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    // OpenAI's clients may rely on it: without it LiteLLM throws the whole answer away.
    input_token_details: { audio_tokens: audio, text_tokens: inputTokens - audio },
  }
}

function buildVerbose(
  result: TranscriptionResult,
  request: TranscriptionRequest,
  seconds: number | null,
): VerboseTranscription {
  const language = result.language ?? request.language
  const granularities = request.timestamp_granularities ?? ['segment']
  return {
    task: 'transcribe',
    ...(language === undefined ? {} : { language }),
    duration: seconds ?? result.words.at(-1)?.end ?? 0,
    text: result.text,
    ...(granularities.includes('segment') ? { segments: buildSegments(result, seconds) } : {}),
    ...(granularities.includes('word') ? { words: result.words.map(toWord) } : {}),
    usage: buildUsage(result),
  }
}

function toWord({ text, start, end }: SpokenWord) {
  return { word: text, start, end }
}

/** Subtitles. `head`: the line before a segment's times. */
function writeCues(segments: readonly Segment[], separator: ',' | '.', head: (id: number) => string): string {
  return segments
    .map(({ id, start, end, text }) => {
      const times = `${formatTime(start, separator)} --> ${formatTime(end, separator)}`
      return `${head(id)}${times}\n${text}\n\n`
    })
    .join('')
}

/** `00:00:01,500`. */
function formatTime(seconds: number, separator: ',' | '.'): string {
  const milliseconds = Math.round(seconds * 1000)
  const part = (unit: number, size: number, width = 2) =>
    String(Math.floor(milliseconds / unit) % size).padStart(width, '0')
  return `${part(3_600_000, 100)}:${part(60_000, 60)}:${part(1000, 60)}${separator}${part(1, 1000, 3)}`
}

type Segment = {
  readonly id: number
  readonly start: number
  readonly end: number
  readonly text: string
}

const longestLine = 84
const longestSeconds = 7
const pauseSeconds = 1

/**
 * Groups timed words into subtitle lines: to the end of a sentence, a pause, or a full line. Without timed words the whole text is one
 * segment, as long as the recording, or without length if that is unknown.
 */
function buildSegments(
  { text, words }: Pick<TranscriptionResult, 'text' | 'words'>,
  seconds: number | null,
): Segment[] {
  if (words.length === 0) return text === '' ? [] : [{ id: 0, start: 0, end: seconds ?? 0, text }]
  const groups: SpokenWord[][] = []
  for (const word of words) {
    const group = groups.at(-1)
    if (group === undefined || startsLine(group, word)) groups.push([word])
    else group.push(word)
  }
  return groups.map((group, id) => ({
    id,
    start: group[0]?.start ?? 0,
    end: group.at(-1)?.end ?? 0,
    text: group.map(word => word.text).join(' '),
  }))
}

function startsLine(group: readonly SpokenWord[], next: SpokenWord): boolean {
  const last = group.at(-1)
  const first = group[0]
  if (last === undefined || first === undefined) return true
  const length = group.reduce((sum, word) => sum + word.text.length + 1, 0)
  return (
    /[.!?…]$/.test(last.text) ||
    next.start - last.end >= pauseSeconds ||
    next.end - first.start > longestSeconds ||
    length + next.text.length > longestLine
  )
}
