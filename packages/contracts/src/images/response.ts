// The reply of POST /images/generations (spec 2.5).
import Type, { type Static } from 'typebox'

export const imageResponseSchema = Type.Object(
  {
    created: Type.Integer({ description: 'Unix seconds' }),
    data: Type.Array(
      Type.Object({
        b64_json: Type.String({ description: 'The image, Base64' }),
        revised_prompt: Type.Optional(Type.String({ description: 'Only when the model refined the prompt' })),
      }),
    ),
    usage: Type.Optional(
      Type.Object({
        input_tokens: Type.Integer(),
        output_tokens: Type.Integer(),
        total_tokens: Type.Integer(),
      }),
    ),
  },
  { description: 'The images' },
)

export type ImageResponse = Static<typeof imageResponseSchema>
