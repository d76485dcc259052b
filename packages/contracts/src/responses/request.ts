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

export const maxInputItems = 10_000

const modelSchema = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Model id; GET /v1/models lists them',
})
const inputSchema = Type.Union(
  [Type.String(), Type.Array(inputItemSchema, { minItems: 1, maxItems: maxInputItems })],
  { description: 'Conversation as text or items' },
)
const instructionsSchema = orNull(Type.String({ description: 'Placed before the conversation' }))
const previousSchema = orNull(
  Type.String({
    maxLength: 256,
    description:
      'A stored response of the team: its input and output come before `input`, without its instructions',
  }),
)

export const responsesRequestSchema = Type.Object(
  {
    model: modelSchema,
    input: inputSchema,
    instructions: instructionsSchema,
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
        description: 'Returned with the answer',
      }),
    ),
    stream: orNull(Type.Boolean({ description: 'true: sends typed events' })),
    store: orNull(
      Type.Boolean({
        description: 'Default true: stores the response, so that later requests of the team can refer to it',
      }),
    ),
    background: orNull(Type.Boolean({ description: 'Refused if true' })),
    previous_response_id: previousSchema,
    conversation: Type.Optional(Type.Unknown({ description: 'Refused: use `previous_response_id`' })),
    prompt: Type.Optional(Type.Unknown({ description: 'Refused: send its text in `instructions`' })),
  },
  {
    description: 'A request in the format of the OpenAI Responses API',
    examples: [{ model: 'mm-2.5-flash', input: 'Say hello.' }],
  },
)
export type ResponsesRequest = Static<typeof responsesRequestSchema>

export const compactRequestSchema = Type.Object(
  {
    model: modelSchema,
    input: orNull(inputSchema),
    instructions: instructionsSchema,
    previous_response_id: previousSchema,
  },
  {
    description:
      'A conversation to compact, as the OpenAI Responses API takes it. Other members are ignored.',
    examples: [{ model: 'mm-2.5-flash', input: 'Say hello.' }],
  },
)
export type CompactRequest = Static<typeof compactRequestSchema>
