// The JSON replies of POST /audio/transcriptions (spec 2.6).
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
        'The recording, and everything else; tokens that the model does not break down count as text',
    },
  ),
})

const task = Type.Literal('transcribe')
const seconds = Type.Number({ description: 'Seconds from the start' })

export const transcriptionSchema = Type.Object(
  { text: Type.String(), usage, task },
  { description: 'What was said; `text`, `srt` and `vtt` come as plain text' },
)

export const verboseTranscriptionSchema = Type.Object({
  task,
  language: Type.Optional(
    Type.String({ description: 'As the model reports it, or else as requested; absent if there is neither' }),
  ),
  duration: Type.Number({
    description: 'Seconds of the recording, or up to the end of the last word if the file does not say',
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
