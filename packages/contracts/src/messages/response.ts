// Replies of POST /v1/messages, whole or as events, its token count, and its errors, in Anthropic format.
import Type, { type Static } from 'typebox'

export const messagesUsageSchema = Type.Object({
  input_tokens: Type.Integer({ description: 'Uncached input tokens' }),
  cache_creation_input_tokens: Type.Integer({
    description: 'Input tokens written to a cache; 0 unless the model is one of Anthropic’s',
  }),
  cache_read_input_tokens: Type.Integer({ description: 'Cached input tokens' }),
  output_tokens: Type.Integer({ description: 'Output tokens, including reasoning' }),
  output_tokens_details: Type.Object({ thinking_tokens: Type.Integer() }),
  cost: Type.Optional(Type.Number({ description: 'US dollars; in streams, part of `message_delta`' })),
})
export type MessagesUsage = Static<typeof messagesUsageSchema>

const webSearchResult = Type.Object({
  type: Type.Literal('web_search_result'),
  url: Type.String(),
  title: Type.String(),
  encrypted_content: Type.String({ description: 'Always empty' }),
  page_age: Type.Null(),
})

const contentBlock = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({
    type: Type.Literal('thinking'),
    thinking: Type.String({ description: 'Summary of the reasoning; empty if none was requested' }),
    signature: Type.String({ description: 'Model state: send the block back with the message' }),
  }),
  Type.Object({
    type: Type.Literal('tool_use'),
    id: Type.String(),
    name: Type.String(),
    input: Type.Record(Type.String(), Type.Unknown()),
  }),
  Type.Object({
    type: Type.Literal('server_tool_use'),
    id: Type.String(),
    name: Type.Literal('web_search'),
    input: Type.Object({}),
  }),
  Type.Object({
    type: Type.Literal('web_search_tool_result'),
    tool_use_id: Type.String(),
    content: Type.Array(webSearchResult),
  }),
])

export type ContentBlock = Static<typeof contentBlock>

const stopReason = Type.Enum(['end_turn', 'max_tokens', 'tool_use'])
export type StopReason = Static<typeof stopReason>

export const messageSchema = Type.Object({
  id: Type.String(),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String({ description: 'As named by the client' }),
  content: Type.Array(contentBlock),
  stop_reason: stopReason,
  stop_sequence: Type.Null({
    description: 'Always null: the upstream does not report which sequence matched',
  }),
  usage: messagesUsageSchema,
})
export type MessageBody = Static<typeof messageSchema>

/** The members that every answer of Anthropic's API has. */
export const relayedMessageSchema = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    model: Type.String({ description: 'As named by the client' }),
    content: Type.Array(Type.Object({ type: Type.String() })),
    stop_reason: Type.String(),
    usage: Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() }),
  },
  { description: 'From a model of Anthropic: relayed, with all its members' },
)

/** One event of a stream. Its `event:` line repeats `type`. */
export const messageEventSchema = Type.Object(
  {
    type: Type.Enum([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
      'ping',
      'error',
    ]),
  },
  {
    description:
      'With `stream: true`: the `data` of each event, in the order of the Anthropic API. An error during the stream is sent as a final `error` event.',
    contentMediaType: 'text/event-stream',
  },
)

export const tokenCountSchema = Type.Object({ input_tokens: Type.Integer() })

export const messagesErrorTypes = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'api_error',
  'timeout_error',
  'overloaded_error',
] as const
export type MessagesErrorType = (typeof messagesErrorTypes)[number]

export const messagesErrorSchema = Type.Object({
  type: Type.Literal('error'),
  error: Type.Object({
    type: Type.Enum([...messagesErrorTypes], { description: 'Kind of error' }),
    message: Type.String({ description: 'Human-readable message' }),
    code: Type.String({ description: 'Fairgate error code' }),
    param: Type.Union([Type.String(), Type.Null()], { description: 'Request member at fault' }),
  }),
  request_id: Type.String({ description: 'Same as the header `request-id`' }),
})
export type MessagesErrorBody = Static<typeof messagesErrorSchema>
