// Reply of POST /images/generations (spec 2.5).
import Type, { type Static } from 'typebox'

const details = (description: string) =>
  Type.Object({ image_tokens: Type.Integer(), text_tokens: Type.Integer() }, { description })

export const imageResponseSchema = Type.Object(
  {
    created: Type.Integer({ description: 'Unix seconds' }),
    data: Type.Array(
      Type.Object({
        b64_json: Type.Optional(Type.String({ description: 'Image as Base64; absent for `url`' })),
        url: Type.Optional(
          Type.String({
            description:
              'Address of the image, if requested. A data URL if the image could not be kept, so that it is not lost',
          }),
        ),
        revised_prompt: Type.Optional(
          Type.String({ description: 'Present only if the model revised the prompt' }),
        ),
      }),
    ),
    usage: Type.Optional(
      Type.Object({
        input_tokens: Type.Integer(),
        output_tokens: Type.Integer(),
        total_tokens: Type.Integer(),
        input_tokens_details: details('Images sent, and the prompt'),
        output_tokens_details: details('Images generated, and any other output of the model'),
      }),
    ),
  },
  { description: 'Generated images' },
)

export type ImageResponse = Static<typeof imageResponseSchema>
