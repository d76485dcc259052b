// Bodies and replies of the team page on the gateway door: sign-in, team summary, keys, models and entries.
import Type, { type Static } from 'typebox'
import { callSchema } from '../calls/call.ts'
import { shownAnnouncementSchema } from '../info/announcements.ts'
import { catalogModelSchema } from '../management/catalog.ts'
import { plainText, strict } from '../management/owner-fields.ts'
import { orNull } from '../or-null.ts'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { spendSeriesQuerySchema } from '../spend/spend-report.ts'
import { cursorQuery, nextCursor, replyHead } from './figures.ts'
import { sessionEntrySchema } from './session-view.ts'
import { submissionStateSchema } from './submissions.ts'
import { limitInUseSchema } from './team-detail.ts'
import { teamRowSchema } from './teams.ts'

const memberSchema = Type.Union(
  [Type.Object({ member_id: Type.String(), name: Type.String() }), Type.Null()],
  {
    description: 'Member who owns the key used to sign in; null for a key of the whole team',
  },
)

export const selfSignInBodySchema = Type.Object(
  {
    key: orNull(Type.String({ minLength: 1, maxLength: 512, description: 'A gateway key, `sk-…`' })),
    once: orNull(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'One-time ticket from a sign-in link, after `#once=`; use it instead of a key',
      }),
    ),
  },
  { ...strict, examples: [{ key: '<key>' }] },
)

export const selfSessionSchema = Type.Object({
  team_id: Type.String(),
  team_alias: Type.String(),
  member: memberSchema,
  expires_at: Type.String({
    description: 'When the session ends unless it is used before then, ISO 8601 in UTC',
  }),
})

export const selfSignOutQuerySchema = Type.Object({
  everywhere: Type.Optional(
    Type.Boolean({ description: 'true: ends all sessions of the same key, on every device' }),
  ),
})

const phaseSchema = Type.Object({
  event_name: Type.String({ description: 'Empty if not set' }),
  time_zone: Type.String({ description: 'IANA name of the time zone in which participants see times' }),
  name: textOrNull('Name of the current phase; null if there is none'),
  from: textOrNull('Start of the phase, ISO 8601 in UTC'),
  until: textOrNull('End of the phase; null if it has no known end'),
  gateway: Type.Enum(['open', 'paused', 'closed'], { description: 'Whether paid calls are accepted now' }),
  reason: textOrNull('Why the event is paused'),
  opens_at: textOrNull('When a closed gateway opens automatically; null if it does not'),
  changes_at: textOrNull('Next scheduled change of the phase or the gateway'),
})

const {
  lights,
  state,
  left_nano,
  pace_nano_h,
  dry_at,
  spark,
  calls,
  refused_1h,
  last_call,
  last_entry,
  entries,
} = teamRowSchema.properties

export const selfKeySchema = Type.Object({
  key_id: Type.String({ description: 'SHA-256 of the key as created; not a secret' }),
  alias: Type.String({ description: 'Display name; may be empty' }),
  key_name: Type.String({ description: 'Prefix and last four characters of the key' }),
  person: textOrNull('Member who owns the key; null for a key of the whole team'),
  spend_nano: Type.Integer({ description: 'Spent in its current budget period' }),
  works: Type.Boolean({ description: 'false if the key is blocked or expired' }),
  is_own: Type.Boolean({ description: 'Whether this key was used to sign in' }),
})

const figures = {
  team: Type.Object({ team_id: Type.String(), team_alias: Type.String(), state }),
  phase: phaseSchema,
  budget: Type.Object({
    budget_nano: integerOrNull('Budget of the current period, including grants; null if there is no budget'),
    granted_nano: Type.Integer({
      description: 'Granted by organisers in the current period; included in the budget',
    }),
    spent_nano: Type.Integer({ description: 'Spent in the current period' }),
    held_nano: Type.Integer({ description: 'Held for running calls; released when they end' }),
    left_nano,
    pace_nano_h,
    dry_at,
    spark,
  }),
  lights,
  calls,
  refused_1h,
  last_call,
  last_entry,
  entries,
  board: Type.Object({
    locked: Type.Boolean({ description: 'Whether the board refuses new entries' }),
    since: textOrNull('When the board was locked, ISO 8601 in UTC; null while it is open'),
    until: textOrNull('When the event opens it again; null if not scheduled'),
    reason: Type.Union([Type.Enum(['organisers', 'phase', 'end']), Type.Null()], {
      description:
        '`organisers`: the organisers locked this board. `phase`: the event phase ended. `end`: the organisers ended the event. Null while it is open',
    }),
    late_until: textOrNull('Until when entries from before the lock are still accepted'),
  }),
  limits_now: Type.Array(limitInUseSchema, { description: 'All limits that apply to calls of the team' }),
  announcements: Type.Array(shownAnnouncementSchema),
  questions: Type.Object(
    {
      asked: Type.Integer(),
      waiting: Type.Integer({ description: 'Unanswered questions' }),
      last_answered_at: textOrNull('ISO 8601 in UTC; null if nothing has been answered yet'),
    },
    { description: 'Questions asked by the team; see `GET /self/questions` for the texts' },
  ),
  submission: Type.Union([submissionStateSchema, Type.Null()], {
    description: 'Null if the event asks for no submissions; see `GET /self/submission` for the texts',
  }),
  judging: Type.Union(
    [
      Type.Object({
        published_at: textOrNull('When the results were published, ISO 8601 in UTC; null before'),
        cases: Type.Integer({
          description: 'Questions that the organisers have asked the team about its work',
        }),
        to_answer: Type.Integer({ description: 'Those that wait for the answer of the team' }),
        answer_until: textOrNull('When the first of these must be answered'),
        changed_at: textOrNull('When the newest correction, answer or decision came; null for none'),
      }),
      Type.Null(),
    ],
    {
      description:
        'Null as long as judging has nothing to say to the team; see `GET /self/results` and `GET /self/cases`',
    },
  ),
}
const selfFiguresSchema = Type.Object(figures)

export const selfSchema = Type.Object({
  ...replyHead,
  ...figures,
  member: memberSchema,
  keys: Type.Array(selfKeySchema, { description: 'All keys of the team, which share its budget' }),
  refusal: Type.Union([callSchema, Type.Null()], {
    description: 'Newest refused call of the last ten minutes; null if there is none',
  }),
  wrong_clocks: Type.Array(
    Type.Object({
      person: textOrNull('Owner of the laptop; null if its log token belongs to the whole team'),
      difference: Type.String({
        description: "Phrase to complete with “the server's clock”",
        examples: ['3 h behind', '26 h ahead of'],
      }),
    }),
    {
      description:
        "Laptops with a clock more than two minutes off when their recorder last sent entries. Log entries carry the laptop's time",
    },
  ),
  dialects: Type.Array(Type.Object({ name: Type.String(), base_url: Type.String() }), {
    description: 'Supported API dialects, with the base URL for clients of each',
  }),
  addresses: Type.Object({ gateway: Type.String(), logbook: Type.String() }),
})

/** The `data` of each event. */
export const selfStreamEventSchema = Type.Union(
  [
    Type.Object({ ...replyHead, ...figures }, { description: '`self`' }),
    Type.Object(
      {
        now: Type.String({ description: 'Server time, ISO 8601 in UTC' }),
        stale: Type.Array(Type.String(), {
          description: 'Not empty if the last read of the figures failed',
        }),
      },
      { description: '`beat`' },
    ),
    Type.Object(
      { kept_seconds: Type.Integer({ description: 'How long stream positions are kept' }) },
      { description: '`reset`' },
    ),
  ],
  { contentMediaType: 'text/event-stream' },
)

const { id, modality, context_limit, max_output, retires_on, rpm_limit, tpm_limit, price, price_above } =
  catalogModelSchema.properties

export const selfModelsSchema = Type.Object({
  ...replyHead,
  items: Type.Array(
    Type.Object({
      id,
      names: Type.Array(Type.String(), { description: 'All names under which this key can call the model' }),
      modality,
      context_limit,
      max_output,
      retires_on,
      rpm_limit,
      tpm_limit,
      price,
      price_above,
    }),
  ),
})

const { from, until, step, time_zone, by } = spendSeriesQuerySchema.properties
export const selfSeriesQuerySchema = Type.Object({ from, until, step, time_zone, by })

export const defaultEntriesPage = 50

export const selfEntriesQuerySchema = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: defaultEntriesPage, examples: [20] }),
  ),
  after: cursorQuery,
  event: Type.Optional(plainText({ description: 'Exact match; empty means no filter' })),
  tool: Type.Optional(
    plainText({
      description:
        'Case-insensitive; empty means no filter. With `session_id`: the `tool` of the session, if two tools have a session with this id',
    }),
  ),
  session_id: Type.Optional(
    plainText({ description: 'Session id as named by the tool; empty means no filter' }),
  ),
})

export const selfEntriesSchema = Type.Object({
  ...replyHead,
  items: Type.Array(sessionEntrySchema, {
    description:
      'Newest first. A page can be shorter than `limit`, or empty, if entries are large or few entries of a session match',
  }),
  next: nextCursor,
})

/** Maximum working keys per member, and maximum working log tokens. */
export const maxOwnKeys = 5

export const newOwnKeyBodySchema = Type.Object(
  {
    key_alias: orNull(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: "Display name, which must be unique; derived from the member's name if absent",
      }),
    ),
  },
  { ...strict, examples: [{ key_alias: 'second laptop' }] },
)

export const ownKeySchema = Type.Object({
  ...replyHead,
  key_id: Type.String({ description: 'SHA-256 of the key; not a secret' }),
  key: Type.String({ description: 'The key itself, shown only once and not stored' }),
  key_name: Type.String({ description: 'Prefix and last four characters of the key' }),
  key_alias: Type.String(),
})

export const newOwnLogTokenBodySchema = Type.Object({}, strict)

export const ownLogTokenSchema = Type.Object({
  ...replyHead,
  token_id: Type.String(),
  log_token: Type.String({ description: 'The log token itself, shown only once and not stored' }),
})

export const endedKeySchema = Type.Object({ ...replyHead, key_id: Type.String() })

export type OwnLogToken = Static<typeof ownLogTokenSchema>
export type OwnKey = Static<typeof ownKeySchema>
export type EndedKey = Static<typeof endedKeySchema>

export const seenSchema = Type.Object({ announcement_id: Type.String() })

export type SelfEntriesQuery = Static<typeof selfEntriesQuerySchema>
export type SelfEntries = Static<typeof selfEntriesSchema>
export type SelfSession = Static<typeof selfSessionSchema>
export type Self = Static<typeof selfSchema>
export type SelfFigures = Static<typeof selfFiguresSchema>
export type SelfModels = Static<typeof selfModelsSchema>
export type SelfSeriesQuery = Static<typeof selfSeriesQuerySchema>
