// Reply of POST /responses: the response object, its output items, and stream events.
import Type, { type Static } from 'typebox'

const status = Type.Enum(['in_progress', 'completed', 'incomplete'])

const summaryText = Type.Object({ type: Type.Literal('summary_text'), text: Type.String() })

const reasoning = Type.Object({
  id: Type.String(),
  type: Type.Literal('reasoning'),
  summary: Type.Array(summaryText, { description: 'Present if requested with `reasoning.summary`' }),
  encrypted_content: Type.Optional(
    Type.String({ description: 'Model state: send the item back with the calls that follow it' }),
  ),
})
export type ReasoningItem = Static<typeof reasoning>

const citation = Type.Object({
  type: Type.Literal('url_citation'),
  start_index: Type.Integer({ description: 'Character offset in the text' }),
  end_index: Type.Integer(),
  url: Type.String(),
  title: Type.String(),
})
export type Citation = Static<typeof citation>

const outputText = Type.Object({
  type: Type.Literal('output_text'),
  text: Type.String(),
  annotations: Type.Array(citation),
  logprobs: Type.Array(Type.Unknown(), { description: 'Always empty' }),
})

const refusal = Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() })

const message = Type.Object({
  id: Type.String(),
  type: Type.Literal('message'),
  status,
  role: Type.Literal('assistant'),
  content: Type.Array(Type.Union([outputText, refusal])),
})
export type OutputMessage = Static<typeof message>

const functionCall = Type.Object({
  id: Type.String(),
  type: Type.Literal('function_call'),
  status,
  call_id: Type.String(),
  name: Type.String(),
  namespace: Type.Optional(Type.String({ description: 'Namespace of the tool, if it was declared in one' })),
  arguments: Type.String({ description: 'A JSON object as text' }),
})

const customToolCall = Type.Object({
  id: Type.String(),
  type: Type.Literal('custom_tool_call'),
  status,
  call_id: Type.String(),
  name: Type.String(),
  namespace: Type.Optional(Type.String()),
  input: Type.String(),
})

const compaction = Type.Object({
  id: Type.String(),
  type: Type.Literal('compaction'),
  encrypted_content: Type.String(),
})

const outputItem = Type.Union([reasoning, message, functionCall, customToolCall, compaction])
export type OutputItem = Static<typeof outputItem>

export const responsesUsageSchema = Type.Object({
  input_tokens: Type.Integer({ description: 'Input tokens, including cached ones' }),
  input_tokens_details: Type.Object({
    cached_tokens: Type.Integer(),
    cache_write_tokens: Type.Integer({ description: 'Always 0' }),
  }),
  output_tokens: Type.Integer({ description: 'Output tokens, including reasoning' }),
  output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
  total_tokens: Type.Integer(),
  cost: Type.Optional(Type.Number({ description: 'US dollars; in streams, part of the last event' })),
})
export type ResponsesUsage = Static<typeof responsesUsageSchema>

const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const responseSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  created_at: Type.Integer({ description: 'Unix time' }),
  status: Type.Enum(['in_progress', 'completed', 'incomplete', 'failed']),
  background: Type.Literal(false),
  error: orNull(Type.Object({ code: Type.String(), message: Type.String() })),
  incomplete_details: orNull(Type.Object({ reason: Type.Enum(['max_output_tokens', 'content_filter']) })),
  instructions: Type.Null({ description: 'Not repeated' }),
  max_output_tokens: orNull(Type.Integer()),
  metadata: Type.Record(Type.String(), Type.String()),
  model: Type.String({ description: 'As named by the client' }),
  output: Type.Array(outputItem),
  parallel_tool_calls: Type.Boolean(),
  previous_response_id: orNull(Type.String()),
  reasoning: Type.Object({ effort: orNull(Type.String()), summary: orNull(Type.String()) }),
  service_tier: Type.Literal('default'),
  store: Type.Boolean({
    description: 'true once the response is stored: in a stream, only the last event says so',
  }),
  temperature: orNull(Type.Number()),
  text: Type.Object({ format: Type.Record(Type.String(), Type.Unknown()) }),
  tool_choice: Type.Unknown(),
  tools: Type.Array(Type.Unknown(), { description: 'Not repeated' }),
  top_p: orNull(Type.Number()),
  truncation: Type.Literal('disabled'),
  usage: orNull(responsesUsageSchema),
  user: Type.Null(),
})
export type ResponseObject = Static<typeof responseSchema>

/** The `data` of one event. Its members depend on its type. */
export const responseEventSchema = Type.Object(
  {
    type: Type.String({ description: 'Such as `response.output_text.delta`' }),
    sequence_number: Type.Integer(),
    response: Type.Optional(responseSchema),
    output_index: Type.Optional(Type.Integer()),
    item_id: Type.Optional(Type.String()),
    content_index: Type.Optional(Type.Integer()),
    summary_index: Type.Optional(Type.Integer()),
    item: Type.Optional(outputItem),
    part: Type.Optional(Type.Union([outputText, refusal, summaryText])),
    delta: Type.Optional(Type.String()),
  },
  {
    description:
      'With `stream: true`: the `data` of each event. `response.created` and `response.in_progress` come first; each output item is ' +
      'added, sent in deltas and done; `response.completed`, `response.incomplete` or `response.failed` comes last. ' +
      '`response.in_progress` can be repeated while the model sends nothing.',
    contentMediaType: 'text/event-stream',
  },
)

export const compactedResponseSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('response.compaction'),
  created_at: Type.Integer({ description: 'Unix time' }),
  output: Type.Array(outputItem, { description: 'One `compaction` item, which replaces the conversation' }),
  usage: responsesUsageSchema,
})

export const responseDeletedSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('response.deleted'),
  deleted: Type.Literal(true),
})

export const responseQuerySchema = Type.Object({
  stream: Type.Optional(Type.Boolean({ description: 'Refused if true: the whole response is returned' })),
})

export const inputItemsQuerySchema = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Items per page; default 20' })),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Default `desc`: the last item first' })),
  after: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'Only items after this one: its id' }),
  ),
})

export const inputItemListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'An input item as sent, with an id; references are replaced by the items',
    }),
  ),
  first_id: orNull(Type.String()),
  last_id: orNull(Type.String()),
  has_more: Type.Boolean(),
})
export type InputItemList = Static<typeof inputItemListSchema>
