// Body of POST /audio/speech (spec 4.1): text to speak, or a description of music to generate.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'

export const speechVoices = [
  'Zephyr',
  'Puck',
  'Charon',
  'Kore',
  'Fenrir',
  'Leda',
  'Orus',
  'Aoede',
  'Callirrhoe',
  'Autonoe',
  'Enceladus',
  'Iapetus',
  'Umbriel',
  'Algieba',
  'Despina',
  'Erinome',
  'Algenib',
  'Rasalgethi',
  'Laomedeia',
  'Achernar',
  'Alnilam',
  'Schedar',
  'Gacrux',
  'Pulcherrima',
  'Achird',
  'Zubenelgenubi',
  'Vindemiatrix',
  'Sadachbia',
  'Sadaltager',
  'Sulafat',
] as const

/** The `voice` of music models. */
export const musicVoice = 'default'

export const speechFormats = ['mp3', 'opus', 'flac', 'wav', 'pcm'] as const

export const speechRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'A speech or music model' }),
    input: Type.String({
      minLength: 1,
      maxLength: 32_000,
      description: 'Text to speak; for music: genre, mood, instruments, tempo, lyrics',
    }),
    voice: Type.String({
      minLength: 1,
      maxLength: 100,
      description: `Speech: ${speechVoices.join(', ')} (in any case). Music: always \`${musicVoice}\``,
    }),
    response_format: orNull(
      Type.String({
        maxLength: 100,
        description:
          'mp3 (default), opus, flac, wav or pcm for speech; mp3, and wav from some models, for music',
      }),
    ),
    stream_format: orNull(
      Type.Enum(['audio', 'sse'], {
        description:
          '`sse`: sends the audio as `speech.audio.delta` events and one `speech.audio.done` with the token counts, once all audio is ready',
      }),
    ),
    instructions: orNull(
      Type.String({ maxLength: 4000, description: 'How to speak; prepended to the text' }),
    ),
    speed: orNull(Type.Number({ minimum: 0.25, maximum: 4, description: 'Accepted but has no effect' })),
  },
  {
    description: 'Text to speak, or music to generate, in OpenAI format',
    examples: [{ model: 'mm-2.5-flash-preview-tts', input: 'Good morning.', voice: 'Zephyr' }],
  },
)

export type SpeechRequest = Static<typeof speechRequestSchema>
export type SpeechFormat = (typeof speechFormats)[number]
