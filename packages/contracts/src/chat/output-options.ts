// Requested output: text, JSON that follows a schema, images, audio.
import Type from 'typebox'

export const responseFormatSchema = Type.Union([
  Type.Object({ type: Type.Enum(['text', 'json_object']) }),
  Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object({
      name: Type.Optional(Type.String({ maxLength: 64 })),
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
