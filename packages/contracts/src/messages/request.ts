// Bodies of POST /v1/messages and /v1/messages/count_tokens, in Anthropic format. Members in use are checked; all others are ignored.
import Type, { type Static } from 'typebox'
import { maxThinkingBudget } from '../chat/output-options.ts'
import { orNull } from '../or-null.ts'
import { assistantContent, textBlocks, textContent, userContent } from './content-blocks.ts'

const message = Type.Union([
  Type.Object({ role: Type.Literal('user'), content: userContent }),
  Type.Object({ role: Type.Literal('assistant'), content: assistantContent }),
  Type.Object(
    { role: Type.Literal('system'), content: textContent },
    { description: 'Allowed at any position' },
  ),
])
export type Message = Static<typeof message>

const tool = Type.Object({
  type: orNull(
    Type.String({
      description: 'Absent or `custom` for a client tool; tools that Anthropic runs have another type',
    }),
  ),
  name: orNull(Type.String({ maxLength: 1000 })),
  description: orNull(Type.String({ maxLength: 1_048_576 })),
  input_schema: orNull(
    Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the input' }),
  ),
})
export type MessagesTool = Static<typeof tool>

const oneAtATime = orNull(Type.Boolean({ description: 'true: keeps only the first call of an answer' }))

const toolChoice = Type.Union([
  Type.Object({ type: Type.Enum(['auto', 'any']), disable_parallel_tool_use: oneAtATime }),
  Type.Object({
    type: Type.Literal('tool'),
    name: Type.String({ minLength: 1, maxLength: 1000 }),
    disable_parallel_tool_use: oneAtATime,
  }),
  Type.Object({ type: Type.Literal('none') }),
])

const thinking = Type.Object({
  type: Type.String({
    description:
      '`disabled`, or `enabled` with a budget; with `adaptive` or any other value the model decides',
  }),
  budget_tokens: orNull(
    Type.Integer({ minimum: 0, maximum: maxThinkingBudget, description: 'With `enabled`' }),
  ),
  display: orNull(Type.String({ description: '`omitted`: blocks are returned without their text' })),
})

const outputConfig = Type.Object({
  effort: orNull(Type.Enum(['low', 'medium', 'high', 'xhigh', 'max'])),
  format: orNull(
    Type.Object({
      type: Type.Literal('json_schema'),
      schema: Type.Record(Type.String(), Type.Unknown(), {
        description: 'JSON Schema that the answer must match',
      }),
    }),
  ),
})

const conversation = {
  model: Type.String({ minLength: 1, maxLength: 200, description: 'Model id; GET /v1/models lists them' }),
  messages: Type.Array(message, { minItems: 1, maxItems: 10_000, description: 'The conversation' }),
  system: Type.Optional(Type.Union([Type.String(), textBlocks, Type.Null()])),
  tools: orNull(Type.Array(tool, { maxItems: 512, description: 'Tools that the model may call' })),
  tool_choice: orNull(toolChoice),
  thinking: orNull(thinking),
  output_config: orNull(outputConfig),
  container: Type.Optional(Type.Unknown({ description: 'Refused unless null' })),
  mcp_servers: Type.Optional(Type.Unknown({ description: 'Refused unless empty' })),
}

const example = { model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Say hello.' }] }

export const messagesRequestSchema = Type.Object(
  {
    ...conversation,
    max_tokens: Type.Integer({
      minimum: 1,
      description: "Maximum tokens to generate, including reasoning; capped at the model's maximum",
    }),
    stream: orNull(Type.Boolean({ description: 'true: sends events' })),
    stop_sequences: orNull(
      Type.Array(Type.String({ maxLength: 1000 }), {
        maxItems: 8192,
        description: 'Only the first five are used',
      }),
    ),
    temperature: orNull(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: orNull(Type.Number({ minimum: 0, maximum: 1 })),
    top_k: orNull(Type.Integer({ minimum: 0 })),
  },
  {
    description: 'A request in the format of the Anthropic Messages API',
    examples: [{ ...example, max_tokens: 256 }],
  },
)
export type MessagesRequest = Static<typeof messagesRequestSchema>

/** The same without members that apply only to the answer. */
export const countTokensRequestSchema = Type.Object(conversation, {
  description: 'Same as a message request, without `max_tokens`',
  examples: [example],
})
export type CountTokensRequest = Static<typeof countTokensRequestSchema>
