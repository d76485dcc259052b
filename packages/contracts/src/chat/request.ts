// Body of POST /chat/completions (spec 4.1). Unknown parameters are ignored; wrong types are refused.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { messageSchema } from './message.ts'
import {
  audioSchema,
  imageConfigSchema,
  modalitiesSchema,
  responseFormatSchema,
  stopSchema,
  thinkingSchema,
} from './output-options.ts'
import { sentToolsSchema, toolChoiceSchema } from './tools.ts'

export const chatRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'Model id; GET /v1/models lists them' }),
    messages: Type.Array(messageSchema, { minItems: 1, maxItems: 10_000, description: 'The conversation' }),
    max_tokens: orNull(
      Type.Integer({ minimum: 1, description: 'Maximum tokens to generate, including reasoning' }),
    ),
    max_completion_tokens: orNull(
      Type.Integer({ minimum: 1, description: 'The same; takes precedence over max_tokens' }),
    ),
    n: orNull(
      Type.Integer({ minimum: 1, maximum: 8, description: 'Number of choices, default 1; each is charged' }),
    ),
    seed: orNull(
      Type.Integer({ minimum: -2147483648, maximum: 2147483647, description: 'Best-effort determinism' }),
    ),
    temperature: orNull(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: orNull(Type.Number({ minimum: 0, maximum: 1 })),
    top_k: orNull(Type.Integer({ minimum: 1, maximum: 1000 })),
    stop: orNull(stopSchema),
    presence_penalty: orNull(Type.Number({ minimum: -2, maximum: 2 })),
    frequency_penalty: orNull(Type.Number({ minimum: -2, maximum: 2 })),
    reasoning_effort: orNull(
      Type.Enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'], {
        description:
          'How much the model may reason. An unsupported effort is replaced by the nearest supported one',
      }),
    ),
    thinking: orNull(thinkingSchema),
    logprobs: orNull(Type.Boolean({ description: 'true: includes the log probability of each token' })),
    top_logprobs: orNull(
      Type.Integer({ minimum: 0, maximum: 20, description: 'Alternatives per token; requires logprobs' }),
    ),
    tools: orNull(sentToolsSchema),
    tool_choice: orNull(toolChoiceSchema),
    functions: Type.Optional(Type.Unknown({ description: 'Refused: send `tools` instead' })),
    parallel_tool_calls: orNull(
      Type.Boolean({ description: 'false: keeps only the first call of an answer' }),
    ),
    response_format: orNull(responseFormatSchema),
    modalities: orNull(modalitiesSchema),
    audio: orNull(audioSchema),
    image_config: orNull(imageConfigSchema),
    web_search_options: orNull(
      Type.Object({}, { description: 'If present, even empty, the model may search the web' }),
    ),
    stream: orNull(Type.Boolean({ description: 'true: sends chat.completion.chunk events' })),
    stream_options: orNull(Type.Object({ include_usage: orNull(Type.Boolean()) })),
  },
  {
    description: 'A chat request in OpenAI format',
    examples: [{ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Say hello.' }] }],
  },
)

export type ChatRequest = Static<typeof chatRequestSchema>
