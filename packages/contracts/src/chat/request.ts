// The body of POST /chat/completions (spec 4.1), text only. Unknown parameters are ignored; wrong types are refused.
import Type, { type Static, type TSchema } from 'typebox'

/** OpenAI clients send null for what they leave out. */
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

const textPart = Type.Object({
  type: Type.Refine(
    Type.String({ description: 'Only `text` is offered yet' }),
    type => type === 'text',
    () => 'only parts of type text are offered yet, no images, audio or files',
  ),
  text: Type.String(),
})

const message = Type.Object({
  role: Type.Enum(['system', 'developer', 'user', 'assistant']),
  content: Type.Union([Type.String(), Type.Array(textPart, { minItems: 1 })], {
    description: 'Text, whole or in parts',
  }),
})

/** What the API family knows and this gateway does not offer: refused, since ignoring it would give a wrong answer. */
const unoffered = {
  modalities: orNull(
    Type.Refine(
      Type.Array(Type.String(), { description: 'Only `["text"]` is offered yet' }),
      modalities => modalities.every(modality => modality === 'text'),
      () => 'only text output is offered yet',
    ),
  ),
  tools: orNull(
    Type.Refine(
      Type.Array(Type.Unknown(), { description: 'Not offered yet' }),
      tools => tools.length === 0,
      () => 'tools are not offered yet',
    ),
  ),
  response_format: orNull(
    Type.Object({
      type: Type.Refine(
        Type.String({ description: 'Only `text` is offered yet' }),
        type => type === 'text',
        () => 'only the format text is offered yet',
      ),
    }),
  ),
}

export const chatRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'Model id; GET /v1/models lists them' }),
    messages: Type.Array(message, { minItems: 1, description: 'The conversation; content is text' }),
    max_tokens: orNull(
      Type.Integer({ minimum: 1, description: 'Most generated tokens, reasoning included' }),
    ),
    max_completion_tokens: orNull(
      Type.Integer({ minimum: 1, description: 'The same; wins over max_tokens' }),
    ),
    n: orNull(Type.Integer({ minimum: 1, maximum: 8, description: 'Choices, default 1; each is charged' })),
    seed: orNull(
      Type.Integer({ minimum: -2147483648, maximum: 2147483647, description: 'Best-effort determinism' }),
    ),
    temperature: orNull(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: orNull(Type.Number({ minimum: 0, maximum: 1 })),
    stop: orNull(Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: 5 })])),
    presence_penalty: orNull(Type.Number({ minimum: -2, maximum: 2 })),
    frequency_penalty: orNull(Type.Number({ minimum: -2, maximum: 2 })),
    reasoning_effort: orNull(Type.Enum(['none', 'minimal', 'low', 'medium', 'high'])),
    stream: orNull(Type.Boolean({ description: 'true sends chat.completion.chunk events' })),
    stream_options: orNull(Type.Object({ include_usage: orNull(Type.Boolean()) })),
    ...unoffered,
  },
  {
    description: 'A chat request in OpenAI form',
    examples: [{ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Say hello.' }] }],
  },
)

export type ChatRequest = Static<typeof chatRequestSchema>
export type ChatMessage = ChatRequest['messages'][number]

/** The text of a message, its parts joined. */
export function textOf(message: ChatMessage): string {
  return typeof message.content === 'string'
    ? message.content
    : message.content.map(part => part.text).join('')
}
