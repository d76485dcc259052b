// Requested output: its end, the reasoning before it, text, JSON that follows a schema, images, audio.
import Type from 'typebox'
import { orNull } from '../or-null.ts'

/** The vendor's maximum. OpenAI's is four. */
const maxStops = 5

export const stopSchema = Type.Union(
  [
    Type.String({ maxLength: 1000 }),
    Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: maxStops }),
  ],
  { description: `Text, or up to ${maxStops} texts, at which the answer ends` },
)

/** Far above any model's output. It keeps absurd figures out of the arithmetic that follows. */
export const maxThinkingBudget = 10_000_000

/** As clients of LiteLLM send it, who know it from Anthropic. */
export const thinkingSchema = Type.Object(
  {
    type: Type.Enum(['enabled', 'adaptive', 'disabled'], {
      description: '`adaptive`: the model decides how much',
    }),
    budget_tokens: orNull(
      Type.Integer({
        minimum: 0,
        maximum: maxThinkingBudget,
        description: 'With `enabled`: maximum tokens of reasoning, limited to what the model supports',
      }),
    ),
  },
  { description: 'How much the model may reason, in tokens. It takes precedence over `reasoning_effort`' },
)

export const responseFormatSchema = Type.Union([
  Type.Object({ type: Type.Enum(['text', 'json_object']) }),
  Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object({
      name: Type.Optional(Type.String({ maxLength: 64 })),
      description: orNull(Type.String({ maxLength: 65_536 })),
      strict: orNull(Type.Boolean()),
      schema: Type.Record(Type.String(), Type.Unknown(), {
        description:
          'JSON Schema that the answer must match. If tools are also given, models of the 2.5 family get the schema as text instruction; the answer is then not checked.',
      }),
    }),
  }),
])

export const modalitiesSchema = Type.Array(Type.Enum(['text', 'image', 'audio']), {
  minItems: 1,
  maxItems: 3,
  description:
    'Output types: `["image"]` requests only images from an image model, `["audio"]` requests audio from a speech model',
})

export const audioSchema = Type.Object(
  {
    voice: Type.String({ minLength: 1, maxLength: 100, description: 'A voice of the model' }),
    format: Type.Enum(['pcm16', 'wav'], {
      description: '`pcm16`: 24 kHz, mono, little-endian; the only format for streams',
    }),
  },
  { description: 'For answers with audio' },
)

export const imageConfigSchema = Type.Object(
  {
    aspect_ratio: Type.Optional(
      Type.String({ pattern: '^[1-9][0-9]?:[1-9][0-9]?$', description: 'Such as `16:9`' }),
    ),
    image_size: Type.Optional(Type.Enum(['512', '1K', '2K', '4K'])),
  },
  { description: 'For answers with images' },
)
