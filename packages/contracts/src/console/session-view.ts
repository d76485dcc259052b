// Replies of GET /sessions/{team_id}/{session_id}, its items, and GET /entries/{team_id}/{seq}: one conversation of a tool for display.
import Type, { type Static } from 'typebox'
import { callOutcomes } from '../calls/call.ts'
import { plainText } from '../management/owner-fields.ts'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { cursorQuery, numberOrNull, replyHead } from './figures.ts'

/** Represents every tool that is not recorded. */
export const otherTool = 'other'

const toolMember = Type.Optional(
  plainText({
    minLength: 1,
    description: `\`tool\` of the session, if two tools have a session with this id; \`${otherTool}\` for a tool that is not recorded`,
  }),
)

export const sessionQuerySchema = Type.Object({ tool: toolMember })

const shareSchema = Type.Object({
  calls: Type.Integer(),
  cost_nano: Type.Integer({ description: 'In nano-dollars' }),
})

/** Minimum time without an entry or call that counts as a gap. */
export const gapMs = 300_000
export const maxGaps = 100

export const sessionViewSchema = Type.Object({
  ...replyHead,
  team_id: Type.String(),
  session_id: Type.String({ description: 'Session id as named by the tool' }),
  tool: textOrNull('Null for a tool that is not recorded'),
  students: Type.Array(Type.String(), {
    description: 'Email addresses named in its entries, for cross-checking only',
  }),
  members: Type.Array(Type.Object({ member_id: Type.String(), name: Type.String() }), {
    description: 'Members who own the log tokens its entries were sent with',
  }),
  repo: textOrNull('From its last entry that names one'),
  branch: textOrNull('From its last entry that names one'),
  first_at: Type.String({ description: 'Time of its first entry or call, ISO 8601 in UTC' }),
  last_at: Type.String({ description: 'Time of its last entry or call' }),
  active_ms: Type.Integer({ description: 'Time from first to last, excluding gaps' }),
  prompts: Type.Integer({ description: 'Entries with a prompt' }),
  entries: Type.Integer({ description: '0 if the log has no entries of this session' }),
  late: Type.Integer({
    description:
      'Entries that arrived ten minutes or more after they happened, and not with the first push of their recorder after that',
  }),
  calls: Type.Integer({ description: 'Calls that belong only to this session' }),
  cost_nano: Type.Integer({ description: 'Total cost in nano-dollars' }),
  coverage: numberOrNull(
    'Share of that cost that the log covers, from 0 to 1, rounded down; null if nothing was spent',
  ),
  classes: Type.Record(Type.String(), shareSchema, {
    description: 'Calls by class, as in `GET /coverage`',
  }),
  gaps: Type.Array(Type.Object({ from: Type.String(), until: Type.String(), ms: Type.Integer() }), {
    description: `Periods of at least ${gapMs / 60_000} minutes without activity: the ${maxGaps} longest, in time order`,
  }),
  clock_behind_ms: Type.Integer({
    description:
      "How far the writer's clock is behind the server's, estimated from entries that were sent immediately; 0 if there are none",
  }),
})

export type SessionQuery = Static<typeof sessionQuerySchema>
export type SessionView = Static<typeof sessionViewSchema>

export const defaultItemsPage = 100
/** Maximum bytes of an entry in a list; the full entry can be read by its number. */
export const maxItemBytes = 4096

export const sessionItemsQuerySchema = Type.Object({
  tool: toolMember,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: defaultItemsPage, examples: [20] })),
  after: cursorQuery,
  before: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: '`previous` of a page, for earlier items',
    }),
  ),
  around: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 999_999_999_999_999,
      description: '`seq` of an entry to place in the middle of the page',
    }),
  ),
  from_end: Type.Optional(Type.Boolean({ description: '`true`: returns the last page' })),
})

export const sessionEntrySchema = Type.Object({
  seq: Type.Integer({ description: 'Number of the entry within its team' }),
  ts: Type.String({ description: 'Time stated in the entry, UTC with microseconds' }),
  received_at: Type.String({ description: 'When the service stored it' }),
  is_late: Type.Boolean({
    description:
      'It arrived ten minutes or more after it happened, and not with the first push of its recorder after that. Recorders send at a push',
  }),
  token_id: Type.String({ description: 'Id of the log token that sent it' }),
  member_id: textOrNull('Member who owns that token'),
  event: textOrNull('As named by the tool'),
  entry: Type.Object(
    {},
    { description: `As stored; texts and lists of entries over ${maxItemBytes} bytes are cut` },
  ),
  more: Type.Boolean({
    description: 'true if something was cut: `GET /entries/{team_id}/{seq}` returns the full entry',
  }),
})

const sessionCallSchema = Type.Object({
  call_id: Type.String(),
  key: Type.String({ description: 'SHA-256 of the key' }),
  key_alias: textOrNull('Current or former name of the key'),
  endpoint: Type.String(),
  model: textOrNull('Model that served the call, otherwise the requested one'),
  outcome: Type.Enum([...callOutcomes]),
  code: textOrNull('Error code returned to the client; null on success'),
  explanation: textOrNull('Outcome in one sentence; null on success'),
  units: Type.Record(Type.String(), Type.Integer()),
  cost_nano: Type.Integer({ description: 'In nano-dollars' }),
  received_at: Type.String(),
  ended_at: Type.String(),
  duration_ms: Type.Integer(),
  first_byte_ms: integerOrNull('Time to the first byte of a streamed answer'),
  count: Type.Integer({
    description: 'Number of calls in this item: consecutive identical refusals are grouped',
  }),
  class: textOrNull('As in `GET /coverage`; null for a refused call, which is not classified'),
  by: textOrNull('How it was matched, or why it was not'),
})

export const sessionItemSchema = Type.Object({
  kind: Type.Enum(['entry', 'call', 'refusal']),
  at: Type.String({
    description:
      'Entry: its stated time, but never later than its receipt. Call: when it was received. ISO 8601 in UTC',
  }),
  ref: Type.String({ description: '`team#number` of the entry, or the `call_id`' }),
  entry: Type.Union([sessionEntrySchema, Type.Null()]),
  call: Type.Union([sessionCallSchema, Type.Null()]),
})

export const sessionItemsReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(sessionItemSchema, {
    description: 'In time order. A page can be shorter than `limit` if entries are large',
  }),
  previous: textOrNull('Pass it as `before` for earlier items; null on the first page'),
  next: textOrNull('Pass it as `after` for later items; null on the last page'),
  last: textOrNull(
    'Position of the last item: pass it as `after` later to get newer items; null on an empty page',
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
  id: Type.String({ description: 'SHA-256 of the canonical JSON of the entry as sent' }),
  ts: Type.String({ description: 'Time stated in the entry, UTC with microseconds' }),
  received_at: Type.String({ description: 'When the service stored it, with microseconds' }),
  is_late: Type.Boolean({ description: 'It arrived after the event locked the board' }),
  body_bytes: Type.Integer({ description: 'Size of its JSON as stored' }),
  body_sha256: Type.String({ description: 'SHA-256 of its JSON as stored' }),
  chain: Type.String({ description: "Its link in the team's hash chain" }),
  previous_chain: Type.String({ description: 'Previous link; 64 zeros for the first entry' }),
  salt: textOrNull('Base64; null, like the commitment, only if it was removed'),
  commitment: textOrNull('SHA-256 of salt, `id` and `body_sha256`, in base64'),
  token: Type.Object(
    {
      token_id: Type.String(),
      name: textOrNull('`aitc_...` and the last four characters'),
      member_id: textOrNull('Member who owns the token'),
      member: textOrNull('Name of that member'),
    },
    { description: 'The log token that sent it' },
  ),
  client_address: textOrNull('IP address that it was sent from; null if unknown, and for judges'),
  entry: Type.Object({}, { description: 'The entry exactly as stored' }),
})

export type StoredEntry = Static<typeof storedEntrySchema>
