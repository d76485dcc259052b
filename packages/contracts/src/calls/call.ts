// One call as the record of calls shows it: to its team on the gateway door, and with what only organisers see on the admin door.
import Type, { type Static } from 'typebox'

export const callOutcomes = [
  'completed',
  'client_closed',
  'failed',
  'interrupted',
  'refused',
  'replayed',
] as const

/** What kinds of calls there are, as `endpoint` names them: one for each group of routes that cost money. */
export const callEndpoints = [
  'chat',
  'responses',
  'messages',
  'images',
  'speech',
  'music',
  'transcription',
  'embeddings',
  'videos',
  'generateContent',
  'embedContent',
  'batchEmbedContents',
  'predict',
  'predictLongRunning',
] as const

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const time = (description: string) => Type.String({ description: `${description}, ISO 8601 in UTC` })

const refusalSchema = Type.Object({
  level: Type.String({
    description: 'Whose limit it was: `service_model`, `team`, `team_model`, `key` or `key_model`',
  }),
  limit: Type.String({ description: 'The limit; USD for a budget' }),
  used: Type.String({ description: 'What was used of it' }),
  held: Type.String({ description: 'What running calls held of it' }),
  reset: textOrNull('When there was room again, ISO 8601 in UTC; null where waiting did not help'),
})

const sessionSchema = Type.Object({
  id: textOrNull('The id that the tool gave its session; null when it gave none'),
  source: textOrNull('Where that id stood: the name of a header, or `body`'),
  parent: textOrNull('The session that started this one, for tools that work with sub-agents'),
})

const correctionSchema = Type.Object({
  adjustment_id: Type.String(),
  kind: Type.Enum(['refund', 'adjust'], { description: '`refund` gave back of the charge' }),
  amount_nano: Type.Integer({ description: 'Nano-dollars more, or (negative) less, than was charged' }),
  amount: Type.Number({ description: 'The same in USD' }),
  at: time('When it was made'),
  reason: Type.String(),
})

export const callSchema = Type.Object({
  call_id: Type.String({ description: 'The `x-gateway-call-id` of the answer' }),
  team_id: Type.String(),
  key: Type.String({ description: 'SHA-256 of the key, 64 hex digits' }),
  key_name: textOrNull('The key with only its last four characters; null when it was deleted'),
  key_alias: textOrNull('Its name for people; null when it was deleted'),
  endpoint: Type.String({ description: `What kind of call it was: ${callEndpoints.join(', ')}` }),
  model_asked: textOrNull('As the client wrote it; null where the call did not get so far'),
  model_served: textOrNull('The id of the model in the catalog; null where no model was asked'),
  outcome: Type.Enum([...callOutcomes], {
    description:
      '`refused`: by a limit, a rule or a check, before a model was asked. `failed`: afterwards. `client_closed`: the client left first. ' +
      '`interrupted`: the server stopped while it answered. `replayed`: an earlier answer was given again.',
  }),
  code: textOrNull('The code of the error that the client got'),
  status: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'The HTTP status of a call that was not charged. Null for a charged one, whose record is written before its answer leaves',
  }),
  refusal: Type.Union([refusalSchema, Type.Null()], { description: 'The figures of a refusal by a limit' }),
  explanation: textOrNull('What happened and what to do, in plain words; null for a call that just worked'),
  units: Type.Record(Type.String(), Type.Number(), {
    description: 'What was charged for: unit → number, such as `inputText` and `reasoning`',
  }),
  input_tokens: Type.Integer({ description: 'Tokens of the input, cached ones included' }),
  output_tokens: Type.Integer({ description: 'Tokens of the output, reasoning included' }),
  cost_nano: Type.Integer({ description: 'What was charged, in nano-dollars (1e-9 USD)' }),
  cost: Type.Number({ description: 'The same in USD' }),
  corrections: Type.Array(correctionSchema, {
    description: 'What was refunded or corrected of the charge since then, oldest first',
  }),
  left_nano: Type.Integer({ description: 'What the call costs after its corrections, in nano-dollars' }),
  flag: textOrNull('Why the cost is not plain usage × price, such as `usage_absent` or `estimated`'),
  received_at: time('When the request came'),
  ended_at: time('When its answer ended'),
  duration_ms: Type.Integer(),
  first_byte_ms: Type.Union([Type.Integer(), Type.Null()], {
    description: 'From the request to the first byte of a streamed answer; null for others',
  }),
  session: sessionSchema,
  tool: textOrNull(
    'The tool by what it says of itself, such as `claude` or `codex`; null for other programs',
  ),
  user_agent: textOrNull('The `User-Agent` of the client'),
  client_address: textOrNull('IP address of the client, as far as the proxies in front are trusted'),
  count: Type.Integer({
    description: 'How many calls this item stands for: equal refusals in a row are one item',
  }),
  last_at: time('When the last of these calls came'),
})

export const organiserCallSchema = Type.Object({
  ...callSchema.properties,
  upstream: textOrNull('The name of the upstream that was asked'),
  upstream_key: textOrNull('The id of the key of ours that it was asked with; never the key itself'),
  has_digests: Type.Boolean({ description: 'Whether the keyed digests of its texts are still there' }),
  salt: Type.String({ description: 'Of the commitment: 16 random bytes in base64' }),
  commitment: Type.String({ description: 'SHA-256 over salt, identity and record, in base64' }),
  is_sealed: Type.Boolean({ description: 'True when the record still is what its commitment was made of' }),
})

const priceLineSchema = Type.Object({
  unit: Type.String({ description: 'What is billed, as in `units`' }),
  count: Type.Number(),
  rate: Type.Integer({ description: 'Nano-dollars for a million of them' }),
  amount: Type.String({
    description: 'Nano-dollars, exact: a decimal with up to six places',
    examples: ['3750.000003'],
  }),
})

export const organiserCallDetailSchema = Type.Object({
  ...organiserCallSchema.properties,
  price_lines: Type.Union([Type.Array(priceLineSchema), Type.Null()], {
    description:
      'How the charge came about: the sum of these amounts, rounded up, is `cost_nano`. Null for a call that was not charged by plain ' +
      'usage × price, and for one that the present prices of the catalog do not explain, such as a call from before they were changed.',
  }),
})

export type OrganiserCallDetail = Static<typeof organiserCallDetailSchema>
export type CallItem = Static<typeof callSchema>
export type OrganiserCallItem = Static<typeof organiserCallSchema>
