// One recorded call, as its team sees it on the gateway door and, with more members, as organisers see it on the admin door.
import Type, { type Static } from 'typebox'

export const callOutcomes = [
  'completed',
  'client_closed',
  'failed',
  'interrupted',
  'refused',
  'replayed',
] as const

/** Kinds of calls, as `endpoint` names them: one for each group of paid routes. */
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
    description: 'Level of the limit: `service_model`, `team`, `team_model`, `key` or `key_model`',
  }),
  limit: Type.String({ description: 'The limit; USD for a budget' }),
  used: Type.String({ description: 'Amount already used' }),
  held: Type.String({ description: 'Amount held for running calls' }),
  reset: textOrNull(
    'When capacity was available again, ISO 8601 in UTC; null if waiting would not have helped',
  ),
})

const sessionSchema = Type.Object({
  id: textOrNull('Session id sent by the tool; null if it sent none'),
  source: textOrNull('Where the id was found: the name of a header, or `body`'),
  parent: textOrNull('The session that started this one, for tools with sub-agents'),
})

const correctionSchema = Type.Object({
  adjustment_id: Type.String(),
  kind: Type.Enum(['refund', 'adjust'], { description: '`refund`: part or all of the charge was returned' }),
  amount_nano: Type.Integer({
    description: 'Change of the charge in nano-dollars; negative for a reduction',
  }),
  amount: Type.Number({ description: 'The same in USD' }),
  at: time('When it was made'),
  reason: Type.String(),
})

export const callSchema = Type.Object({
  call_id: Type.String({ description: 'The `x-gateway-call-id` of the answer' }),
  team_id: Type.String(),
  key: Type.String({ description: 'SHA-256 of the key, 64 hex digits' }),
  key_name: textOrNull('The key, masked except for its last four characters; null if the key was deleted'),
  key_alias: textOrNull('Display name of the key; null if the key was deleted'),
  endpoint: Type.String({ description: `Kind of call: ${callEndpoints.join(', ')}` }),
  model_asked: textOrNull(
    'Model as requested by the client; null if the call failed before the model was read',
  ),
  model_served: textOrNull('Catalog id of the model that served the call; null if no model was called'),
  outcome: Type.Enum([...callOutcomes], {
    description:
      '`refused`: by a limit, a rule or a check, before a model was called. `failed`: afterwards. `client_closed`: the client disconnected first. ' +
      '`interrupted`: the server stopped during the answer. `replayed`: an earlier answer was sent again.',
  }),
  code: textOrNull('Error code returned to the client'),
  status: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'HTTP status of a call that was not charged. Null for a charged call, which is recorded before its answer is sent',
  }),
  refusal: Type.Union([refusalSchema, Type.Null()], {
    description: 'Details of the limit that refused the call',
  }),
  explanation: textOrNull('What happened and what to do, in plain words; null for a successful call'),
  units: Type.Record(Type.String(), Type.Number(), {
    description: 'Charged units: unit → count, such as `inputText` and `reasoning`',
  }),
  input_tokens: Type.Integer({ description: 'Input tokens, including cached ones' }),
  output_tokens: Type.Integer({ description: 'Output tokens, including reasoning' }),
  cost_nano: Type.Integer({ description: 'Amount charged, in nano-dollars (1e-9 USD)' }),
  cost: Type.Number({ description: 'The same in USD' }),
  corrections: Type.Array(correctionSchema, {
    description: 'Later refunds and corrections of the charge, oldest first',
  }),
  left_nano: Type.Integer({ description: 'Cost of the call after corrections, in nano-dollars' }),
  flag: textOrNull('Why the cost is not simply usage × price, such as `usage_absent` or `estimated`'),
  received_at: time('When the request was received'),
  ended_at: time('When the answer ended'),
  duration_ms: Type.Integer(),
  first_byte_ms: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'From the request to the first byte of a streamed answer; null if the answer was not streamed',
  }),
  session: sessionSchema,
  tool: textOrNull('Tool as it identifies itself, such as `claude` or `codex`; null for other programs'),
  user_agent: textOrNull('`User-Agent` of the client'),
  client_address: textOrNull('IP address of the client, as determined from trusted proxies'),
  count: Type.Integer({
    description: 'Number of calls in this item: consecutive identical refusals are grouped',
  }),
  last_at: time('When the last of these calls was received'),
})

export const organiserCallSchema = Type.Object({
  ...callSchema.properties,
  upstream: textOrNull('Name of the upstream that was called'),
  upstream_key: textOrNull('Id of the upstream key that was used; never the key itself'),
  has_digests: Type.Boolean({ description: 'Whether the keyed digests of its texts are still stored' }),
  salt: Type.String({ description: 'Salt of the commitment: 16 random bytes in base64' }),
  commitment: Type.String({ description: 'SHA-256 over salt, identity and record, in base64' }),
  is_sealed: Type.Boolean({ description: 'True if the record still matches its commitment' }),
})

const priceLineSchema = Type.Object({
  unit: Type.String({ description: 'Billed unit, as in `units`' }),
  count: Type.Number(),
  rate: Type.Integer({ description: 'Nano-dollars per million units' }),
  amount: Type.String({
    description: 'Exact amount in nano-dollars: a decimal with up to six places',
    examples: ['3750.000003'],
  }),
})

export const organiserCallDetailSchema = Type.Object({
  ...organiserCallSchema.properties,
  price_lines: Type.Union([Type.Array(priceLineSchema), Type.Null()], {
    description:
      'Breakdown of the charge: the sum of these amounts, rounded up, is `cost_nano`. Null for a call that was not charged as ' +
      'usage × price, or if the current catalog prices do not explain the charge, for example because they have changed since.',
  }),
})

export type OrganiserCallDetail = Static<typeof organiserCallDetailSchema>
export type CallItem = Static<typeof callSchema>
export type OrganiserCallItem = Static<typeof organiserCallSchema>
