// What a chat completion answers with (spec 2.3), whole and in chunks.
import Type, { type Static } from 'typebox'

export const finishReasonSchema = Type.Enum(['stop', 'length', 'content_filter', 'tool_calls'])
export type FinishReason = Static<typeof finishReasonSchema>

export const chatUsageSchema = Type.Object({
  completion_tokens: Type.Integer({ description: 'Output, reasoning included' }),
  prompt_tokens: Type.Integer({ description: 'Input, cached included' }),
  total_tokens: Type.Integer(),
  completion_tokens_details: Type.Optional(
    Type.Object({ reasoning_tokens: Type.Integer(), text_tokens: Type.Integer() }),
  ),
  prompt_tokens_details: Type.Optional(
    Type.Object({ cached_tokens: Type.Integer(), text_tokens: Type.Integer() }),
  ),
  cost: Type.Optional(Type.Number({ description: 'US dollars; in the usage chunk of streams' })),
})
export type ChatUsage = Static<typeof chatUsageSchema>

const thinkingBlock = Type.Object({ type: Type.Literal('thinking'), thinking: Type.String() })

const message = Type.Object({
  role: Type.Literal('assistant'),
  content: Type.Union([Type.String(), Type.Null()], { description: 'null when the answer was refused' }),
  refusal: Type.Null(),
  reasoning_content: Type.Optional(Type.String({ description: 'A summary of the reasoning' })),
  images: Type.Array(Type.Unknown()),
  thinking_blocks: Type.Array(thinkingBlock),
})

const choice = Type.Object({
  finish_reason: finishReasonSchema,
  index: Type.Integer(),
  message,
  logprobs: Type.Null(),
})

export const chatCompletionSchema = Type.Object({
  id: Type.String(),
  created: Type.Integer({ description: 'Unix time' }),
  model: Type.String({ description: 'As the client named it' }),
  object: Type.Literal('chat.completion'),
  choices: Type.Array(choice),
  usage: chatUsageSchema,
  vendor_grounding_metadata: Type.Array(Type.Unknown()),
  vendor_url_context_metadata: Type.Array(Type.Unknown()),
  vendor_safety_results: Type.Array(Type.Unknown()),
  vendor_citation_metadata: Type.Array(Type.Unknown()),
})
export type ChatCompletion = Static<typeof chatCompletionSchema>

const chunkChoice = Type.Object({
  index: Type.Integer(),
  delta: Type.Object({
    role: Type.Optional(Type.Literal('assistant', { description: 'In the first delta of a choice' })),
    content: Type.Optional(Type.String()),
    reasoning_content: Type.Optional(Type.String()),
  }),
  finish_reason: Type.Union([finishReasonSchema, Type.Null()]),
  logprobs: Type.Null(),
})

/** One event of a stream; the usage chunk, sent when asked for, has no choices. */
export const chatChunkSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion.chunk'),
  created: Type.Integer({ description: 'Unix time' }),
  model: Type.String(),
  choices: Type.Array(chunkChoice),
  usage: Type.Optional(chatUsageSchema),
})
export type ChatChunk = Static<typeof chatChunkSchema>
