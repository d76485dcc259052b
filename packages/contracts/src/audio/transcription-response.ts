// JSON replies of POST /audio/transcriptions (spec 2.6).
import Type, { type Static } from 'typebox'

const usage = Type.Object({
  type: Type.Literal('tokens'),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  input_token_details: Type.Object(
    { audio_tokens: Type.Integer(), text_tokens: Type.Integer() },
    {
      description:
        'Tokens of the recording and of everything else; tokens that the model does not break down count as text',
    },
  ),
})

const task = Type.Literal('transcribe')
const seconds = Type.Number({ description: 'Seconds from the start' })

export const transcriptionSchema = Type.Object(
  { text: Type.String(), usage, task },
  { description: 'The transcript; `text`, `srt` and `vtt` are returned as plain text' },
)

export const verboseTranscriptionSchema = Type.Object({
  task,
  language: Type.Optional(
    Type.String({
      description: 'As reported by the model, otherwise as requested; absent if neither is known',
    }),
  ),
  duration: Type.Number({
    description:
      'Length of the recording in seconds, or the end of the last word if the file does not state its length',
  }),
  text: Type.String(),
  segments: Type.Optional(
    Type.Array(Type.Object({ id: Type.Integer(), start: seconds, end: seconds, text: Type.String() })),
  ),
  words: Type.Optional(Type.Array(Type.Object({ word: Type.String(), start: seconds, end: seconds }))),
  usage,
})

export type Transcription = Static<typeof transcriptionSchema>
export type VerboseTranscription = Static<typeof verboseTranscriptionSchema>
