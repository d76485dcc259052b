// Reply of a chat completion (spec 2.3), whole or in chunks.
import Type, { type Static } from 'typebox'

export const finishReasonSchema = Type.Enum(['stop', 'length', 'content_filter', 'tool_calls'])
export type FinishReason = Static<typeof finishReasonSchema>

const whereReported = Type.Optional(Type.Integer({ description: 'Present only if the model reports it' }))

export const chatUsageSchema = Type.Object({
  completion_tokens: Type.Integer({ description: 'Output tokens, including reasoning' }),
  prompt_tokens: Type.Integer({ description: 'Input tokens, including cached ones' }),
  total_tokens: Type.Integer(),
  completion_tokens_details: Type.Optional(
    Type.Object({
      reasoning_tokens: Type.Integer(),
      text_tokens: Type.Integer({ description: 'Tokens of the answer itself' }),
      audio_tokens: whereReported,
      image_tokens: whereReported,
    }),
  ),
  prompt_tokens_details: Type.Optional(
    Type.Object({
      cached_tokens: Type.Integer(),
      text_tokens: Type.Integer({ description: 'Uncached text; documents count as text' }),
      audio_tokens: whereReported,
      image_tokens: whereReported,
      video_tokens: whereReported,
    }),
  ),
  cost: Type.Optional(Type.Number({ description: 'US dollars; in streams, part of the usage chunk' })),
})
export type ChatUsage = Static<typeof chatUsageSchema>

const thinkingBlock = Type.Object({
  type: Type.Literal('thinking'),
  thinking: Type.String(),
  signature: Type.Optional(Type.String({ description: 'Model state: send the block back with the message' })),
})
export type ThinkingBlock = Static<typeof thinkingBlock>

const toolCallMembers = {
  id: Type.String({ description: 'Send it back unchanged: it can contain model state' }),
  type: Type.Literal('function'),
  function: Type.Object({
    name: Type.String(),
    arguments: Type.String({ description: 'A JSON object as text' }),
  }),
}
const toolCall = Type.Object(toolCallMembers)
export type ToolCall = Static<typeof toolCall>

const image = Type.Object({
  type: Type.Literal('image_url'),
  index: Type.Integer(),
  image_url: Type.Object({
    url: Type.String({ description: 'Data URL with the complete image' }),
    detail: Type.Literal('auto'),
  }),
})
export type ImageRecord = Static<typeof image>

const annotation = Type.Object({
  type: Type.Literal('url_citation'),
  url_citation: Type.Object({
    start_index: Type.Integer({ description: 'Character offset in the content' }),
    end_index: Type.Integer(),
    url: Type.String(),
    title: Type.String(),
  }),
})
export type Annotation = Static<typeof annotation>

const audio = Type.Object({
  id: Type.String(),
  data: Type.String({ description: 'Base64, in the requested format' }),
  expires_at: Type.Integer({ description: 'Unix time of the answer: audio is not stored' }),
  transcript: Type.String(),
})

const likelyToken = Type.Object({
  token: Type.String(),
  logprob: Type.Number(),
  bytes: Type.Union([Type.Array(Type.Integer()), Type.Null()]),
})
const tokenLogprob = Type.Object({
  ...likelyToken.properties,
  top_logprobs: Type.Array(likelyToken),
})
export type LikelyToken = Static<typeof likelyToken>
export type TokenLogprob = Static<typeof tokenLogprob>

const logprobs = Type.Union([
  Type.Object({ content: Type.Array(tokenLogprob), refusal: Type.Null() }),
  Type.Null(),
])

const message = Type.Object({
  role: Type.Literal('assistant'),
  content: Type.Union([Type.String(), Type.Null()], {
    description: 'null if the answer was refused or consists only of tool calls, images or audio',
  }),
  refusal: Type.Null(),
  reasoning_content: Type.Optional(Type.String({ description: 'A summary of the reasoning' })),
  tool_calls: Type.Optional(Type.Array(toolCall)),
  audio: Type.Optional(audio),
  annotations: Type.Optional(Type.Array(annotation)),
  images: Type.Array(image),
  thinking_blocks: Type.Array(thinkingBlock),
})

const choice = Type.Object({
  finish_reason: finishReasonSchema,
  index: Type.Integer(),
  message,
  logprobs,
})

export const chatCompletionSchema = Type.Object({
  id: Type.String(),
  created: Type.Integer({ description: 'Unix time' }),
  model: Type.String({ description: 'As named by the client' }),
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
    thinking_blocks: Type.Optional(Type.Array(thinkingBlock)),
    tool_calls: Type.Optional(Type.Array(Type.Object({ index: Type.Integer(), ...toolCallMembers }))),
    images: Type.Optional(Type.Array(image)),
    audio: Type.Optional(Type.Object({ id: Type.String(), data: Type.String(), expires_at: Type.Integer() })),
    annotations: Type.Optional(Type.Array(annotation)),
  }),
  finish_reason: Type.Union([finishReasonSchema, Type.Null()]),
  logprobs,
})

/** One event of a stream. The usage chunk, which is sent on request, has no choices. */
export const chatChunkSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion.chunk'),
  created: Type.Integer({ description: 'Unix time' }),
  model: Type.String(),
  choices: Type.Array(chunkChoice),
  usage: Type.Optional(chatUsageSchema),
  vendor_grounding_metadata: Type.Optional(Type.Array(Type.Unknown())),
  vendor_url_context_metadata: Type.Optional(Type.Array(Type.Unknown())),
  vendor_citation_metadata: Type.Optional(Type.Array(Type.Unknown())),
})
export type ChatChunk = Static<typeof chatChunkSchema>
