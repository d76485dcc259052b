// What GET /sessions/{team_id}/{session_id} and its items tell, and GET /entries/{team_id}/{seq}: one conversation of a tool, as a person reads it.
import Type, { type Static } from 'typebox'
import { callOutcomes } from '../calls/call.ts'
import { plainText } from '../management/owner-fields.ts'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { cursorQuery, numberOrNull, replyHead } from './figures.ts'

/** Stands for every tool that is not recorded. */
export const otherTool = 'other'

const toolMember = Type.Optional(
  plainText({
    minLength: 1,
    description: `The \`tool\` of the session, where two tools have one of this id; \`${otherTool}\` for a tool that is not recorded`,
  }),
)

export const sessionQuerySchema = Type.Object({ tool: toolMember })

const shareSchema = Type.Object({
  calls: Type.Integer(),
  cost_nano: Type.Integer({ description: 'In nano-dollars' }),
})

/** Longer than this without an entry or call counts as a gap. */
export const gapMs = 300_000
export const mostGaps = 100

export const sessionViewSchema = Type.Object({
  ...replyHead,
  team_id: Type.String(),
  session_id: Type.String({ description: 'As its tool names it' }),
  tool: textOrNull('Null for a tool that is not recorded'),
  students: Type.Array(Type.String(), {
    description: 'Addresses that its entries name, for cross-checking only',
  }),
  members: Type.Array(Type.Object({ member_id: Type.String(), name: Type.String() }), {
    description: 'To whom the log tokens belong that its entries were sent with',
  }),
  repo: textOrNull('As its last entry that names one tells'),
  branch: textOrNull('As its last entry that names one tells'),
  first_at: Type.String({ description: 'Of its first entry or call, ISO 8601 in UTC' }),
  last_at: Type.String({ description: 'Of its last entry or call' }),
  active_ms: Type.Integer({ description: 'From the first to the last, without the gaps' }),
  prompts: Type.Integer({ description: 'Entries with a prompt' }),
  entries: Type.Integer({ description: '0: the log has nothing of it' }),
  late: Type.Integer({ description: 'Entries that arrived ten minutes or more after they happened' }),
  calls: Type.Integer({ description: 'Calls that belong to it and to no other' }),
  cost_nano: Type.Integer({ description: 'What they cost, in nano-dollars' }),
  coverage: numberOrNull(
    'How much of that cost the log covers, from 0 to 1, rounded down; null where nothing was spent',
  ),
  classes: Type.Record(Type.String(), shareSchema, {
    description: 'Its calls by their class in `GET /coverage`',
  }),
  gaps: Type.Array(Type.Object({ from: Type.String(), until: Type.String(), ms: Type.Integer() }), {
    description: `When nothing happened for ${gapMs / 60_000} minutes or longer: the ${mostGaps} longest, in the order of their times`,
  }),
  clock_behind_ms: Type.Integer({
    description:
      'How far the clock of its writer is behind that of the server, as far as entries tell that were sent at once; 0 where none tells',
  }),
})

export type SessionQuery = Static<typeof sessionQuerySchema>
export type SessionView = Static<typeof sessionViewSchema>

export const defaultItemsPage = 100
/** Bytes of an entry in a list; the whole entry is there by its number. */
export const mostItemBytes = 4096

export const sessionItemsQuerySchema = Type.Object({
  tool: toolMember,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: defaultItemsPage, examples: [20] })),
  after: cursorQuery,
  before: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'The `previous` of a page, for what came earlier',
    }),
  ),
  around: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 999_999_999_999_999,
      description: 'The `seq` of an entry that shall stand in the middle of the page',
    }),
  ),
  from_end: Type.Optional(Type.Boolean({ description: '`true`: the last page' })),
})

export const sessionEntrySchema = Type.Object({
  seq: Type.Integer({ description: 'Number of the entry within its team' }),
  ts: Type.String({ description: 'The time that it claims, in UTC, in microseconds' }),
  received_at: Type.String({ description: 'When the service stored it' }),
  is_late: Type.Boolean({ description: 'It arrived ten minutes or more after it happened' }),
  token_id: Type.String({ description: 'Id of the log token that sent it' }),
  member_id: textOrNull('To whom that token belongs'),
  event: textOrNull('As the tool calls it'),
  entry: Type.Object(
    {},
    { description: `As it is stored; one of more than ${mostItemBytes} bytes has its texts and lists cut` },
  ),
  more: Type.Boolean({
    description: 'Something was cut: `GET /entries/{team_id}/{seq}` has the whole entry',
  }),
})

const sessionCallSchema = Type.Object({
  call_id: Type.String(),
  key: Type.String({ description: 'SHA-256 of the key' }),
  key_alias: textOrNull('What the key is or was called'),
  endpoint: Type.String(),
  model: textOrNull('That served it, or else was asked'),
  outcome: Type.Enum([...callOutcomes]),
  code: textOrNull('Of the error that the client was told; null for a success'),
  explanation: textOrNull('What became of it in a sentence; null where all went well'),
  units: Type.Record(Type.String(), Type.Integer()),
  cost_nano: Type.Integer({ description: 'In nano-dollars' }),
  received_at: Type.String(),
  ended_at: Type.String(),
  duration_ms: Type.Integer(),
  first_byte_ms: integerOrNull('To the first byte of a streamed answer'),
  count: Type.Integer({ description: 'Calls that it stands for: equal refusals in a row are one' }),
  class: textOrNull('As in `GET /coverage`; null for a refused call, which nobody judges'),
  by: textOrNull('What it was joined by, or why it was not'),
})

export const sessionItemSchema = Type.Object({
  kind: Type.Enum(['entry', 'call', 'refusal']),
  at: Type.String({
    description:
      'Of an entry its own time, but never later than it was received; of a call when it came. ISO 8601 in UTC',
  }),
  ref: Type.String({ description: '`team#number` of the entry, or the `call_id`' }),
  entry: Type.Union([sessionEntrySchema, Type.Null()]),
  call: Type.Union([sessionCallSchema, Type.Null()]),
})

export const sessionItemsReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(sessionItemSchema, {
    description: 'In the order of their times. A page may be shorter than `limit` where entries are large',
  }),
  previous: textOrNull('Pass it as `before` for what came earlier; null on the first page'),
  next: textOrNull('Pass it as `after` for what came later; null on the last page'),
  last: textOrNull(
    'The place of the last item: pass it as `after` some time later for what has come since; null on an empty page',
  ),
})

export type SessionEntry = Static<typeof sessionEntrySchema>
export type SessionItem = Static<typeof sessionItemSchema>
export type SessionItemsQuery = Static<typeof sessionItemsQuerySchema>
export type SessionItemsReply = Static<typeof sessionItemsReplySchema>

export const storedEntrySchema = Type.Object({
  ...replyHead,
  team_id: Type.String(),
  seq: Type.Integer(),
  id: Type.String({ description: 'SHA-256 of the canonical JSON of the entry as it was sent' }),
  ts: Type.String({ description: 'The time that it claims, in UTC, in microseconds' }),
  received_at: Type.String({ description: 'When the service stored it, in microseconds' }),
  is_late: Type.Boolean({ description: 'It came after the event had locked the board' }),
  body_bytes: Type.Integer({ description: 'Of its JSON as it is stored' }),
  body_sha256: Type.String({ description: 'Of the same' }),
  chain: Type.String({ description: 'Its link in the hash chain of the team' }),
  previous_chain: Type.String({ description: 'The link before; 64 zeros before the first' }),
  salt: textOrNull('Base64; null, like the commitment, only if somebody has removed it'),
  commitment: textOrNull('SHA-256 of salt, `id` and `body_sha256`, in base64'),
  token: Type.Object(
    {
      token_id: Type.String(),
      name: textOrNull('`aitc_...` and the last four characters'),
      member_id: textOrNull('To whom it belongs'),
      member: textOrNull('The name of that member'),
    },
    { description: 'The log token that sent it' },
  ),
  client_address: textOrNull('IP address that it was sent from; null where it is not known, and for judges'),
  entry: Type.Object({}, { description: 'The entry exactly as it is stored' }),
})

export type StoredEntry = Static<typeof storedEntrySchema>
