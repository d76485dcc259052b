// Form of POST /audio/transcriptions (spec 4.1, 2.6).
import Type, { type Static } from 'typebox'

export const transcriptionFormats = ['json', 'text', 'verbose_json', 'srt', 'vtt'] as const

export const transcriptionRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'A transcription model' }),
    file: Type.Unsafe<Blob | string>({
      description: 'The recording: wav, mp3, m4a, ogg, flac, webm or aac',
      contentMediaType: 'application/octet-stream',
    }),
    language: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
        description: 'Spoken language, such as `en` or `pt-BR`',
      }),
    ),
    prompt: Type.Optional(
      Type.String({
        maxLength: 4000,
        description: 'Words that may occur; used only if no timestamps are requested',
      }),
    ),
    response_format: Type.Optional(Type.Enum([...transcriptionFormats], { description: 'Default `json`' })),
    timestamp_granularities: Type.Optional(
      Type.Array(Type.Enum(['word', 'segment']), {
        maxItems: 2,
        description:
          'Only with `verbose_json`; refused with other formats. `segment` (default) or `word`. Form field: timestamp_granularities[]',
      }),
    ),
    stream: Type.Optional(
      Type.Enum(['true', 'false'], {
        description:
          '`true`: sends one `transcript.text.delta` event and `transcript.text.done` with the token counts, once the transcript is complete; `json` only',
      }),
    ),
    include: Type.Optional(
      Type.Unsafe<unknown>({ description: 'Refused: log probabilities are not available' }),
    ),
    temperature: Type.Optional(
      Type.String({ pattern: '^(0(\\.\\d+)?|1(\\.0+)?)$', description: 'Accepted but has no effect' }),
    ),
  },
  {
    description: 'A recording to transcribe, as multipart/form-data',
    examples: [{ model: 'mm-3.5-transcribe-preview', file: '@speech.mp3' }],
  },
)

export type TranscriptionRequest = Static<typeof transcriptionRequestSchema>
export type TranscriptionFormat = (typeof transcriptionFormats)[number]
