// Body of POST /responses (OpenAI Responses API). Unknown members are ignored, because agents add some every week.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { inputItemSchema } from './input-items.ts'
import { toolChoiceSchema, toolsSchema } from './tools.ts'

const schemaName = Type.String({ maxLength: 64 })

const formatSchema = Type.Union([
  Type.Object({ type: Type.Enum(['text', 'json_object']) }),
  Type.Object({
    type: Type.Literal('json_schema'),
    name: orNull(schemaName),
    schema: Type.Record(Type.String(), Type.Unknown(), {
      description: 'JSON Schema that the answer must match',
    }),
    strict: orNull(Type.Boolean()),
  }),
])
export type TextFormat = Static<typeof formatSchema>

export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

export const responsesRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'Model id; GET /v1/models lists them' }),
    input: Type.Union([Type.String(), Type.Array(inputItemSchema, { minItems: 1, maxItems: 10_000 })], {
      description: 'Conversation as text or items',
    }),
    instructions: orNull(Type.String({ description: 'Placed before the conversation' })),
    tools: orNull(toolsSchema),
    tool_choice: orNull(toolChoiceSchema),
    parallel_tool_calls: orNull(
      Type.Boolean({ description: 'false: keeps only the first call of an answer' }),
    ),
    reasoning: orNull(
      Type.Object({
        effort: orNull(Type.Enum([...reasoningEfforts])),
        summary: orNull(
          Type.Enum(['auto', 'concise', 'detailed', 'none'], {
            description: 'If present, a reasoning summary is returned',
          }),
        ),
      }),
    ),
    text: orNull(Type.Object({ format: orNull(formatSchema) })),
    max_output_tokens: orNull(
      Type.Integer({ minimum: 1, description: 'Maximum tokens to generate, including reasoning' }),
    ),
    temperature: orNull(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: orNull(Type.Number({ minimum: 0, maximum: 1 })),
    metadata: orNull(
      Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), {
        maxProperties: 16,
        description: 'Returned with the answer, not stored',
      }),
    ),
    stream: orNull(Type.Boolean({ description: 'true: sends typed events' })),
    store: orNull(Type.Boolean({ description: 'Answers are never stored: the reply says `store: false`' })),
    background: orNull(Type.Boolean({ description: 'Refused if true' })),
    previous_response_id: orNull(Type.String({ description: 'Refused: send the earlier items in `input`' })),
    conversation: Type.Optional(Type.Unknown({ description: 'Refused: send the earlier items in `input`' })),
    prompt: Type.Optional(Type.Unknown({ description: 'Refused: send its text in `instructions`' })),
  },
  {
    description: 'A request in the format of the OpenAI Responses API',
    examples: [{ model: 'mm-2.5-flash', input: 'Say hello.' }],
  },
)
export type ResponsesRequest = Static<typeof responsesRequestSchema>
