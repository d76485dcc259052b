// What a team's page reads and sends on the gateway door: signing in, the team at a glance, and what it may call.
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
import { limitInUseSchema } from './team-detail.ts'
import { teamRowSchema } from './teams.ts'

const memberSchema = Type.Union(
  [Type.Object({ member_id: Type.String(), name: Type.String() }), Type.Null()],
  {
    description: 'Whose key signed in; null for a key of the whole team',
  },
)

export const selfSignInBodySchema = Type.Object(
  {
    key: orNull(Type.String({ minLength: 1, maxLength: 512, description: 'A gateway key, `sk-…`' })),
    once: orNull(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'What a sign-in link holds behind `#once=`, in place of a key',
      }),
    ),
  },
  { ...strict, examples: [{ key: 'sk-…' }] },
)

export const selfSessionSchema = Type.Object({
  team_id: Type.String(),
  team_alias: Type.String(),
  member: memberSchema,
  expires_at: Type.String({
    description: 'When the session ends if it is not used until then, ISO 8601 in UTC',
  }),
})

export const selfSignOutQuerySchema = Type.Object({
  everywhere: Type.Optional(
    Type.Boolean({ description: 'True: all sessions of the same key end, on every device' }),
  ),
})

const phaseSchema = Type.Object({
  event_name: Type.String({ description: 'Empty where nobody has set it' }),
  time_zone: Type.String({ description: 'IANA name: the zone in which participants are told times' }),
  name: textOrNull('Of the present phase; null for none'),
  from: textOrNull('When it began, ISO 8601 in UTC'),
  until: textOrNull('When it ends; null: it has no end that is known'),
  gateway: Type.Enum(['open', 'paused', 'closed'], { description: 'Whether paid calls are taken now' }),
  reason: textOrNull('Why the event is paused'),
  opens_at: textOrNull('When a closed gateway opens by itself; null when it does not'),
  changes_at: textOrNull('When phase or gateway change next by themselves'),
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
  key_id: Type.String({ description: 'SHA-256 of the key as it was made; no secret' }),
  alias: Type.String({ description: 'Its name for people; may be empty' }),
  key_name: Type.String({ description: 'The beginning and the last four characters of the key' }),
  person: textOrNull('The member whose key it is; null for one of the whole team'),
  spend_nano: Type.Integer({ description: 'In its present budget period' }),
  works: Type.Boolean({ description: 'False for a key that is blocked or has expired' }),
  is_own: Type.Boolean({ description: 'Whether it is the key that signed in' }),
})

const figures = {
  team: Type.Object({ team_id: Type.String(), team_alias: Type.String(), state }),
  phase: phaseSchema,
  budget: Type.Object({
    budget_nano: integerOrNull('Of the present period, with what was granted; null without a budget'),
    granted_nano: Type.Integer({
      description: 'Granted by organisers in the present period, a part of the budget',
    }),
    spent_nano: Type.Integer({ description: 'In the present period' }),
    held_nano: Type.Integer({ description: 'Held for running calls; it comes back' }),
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
    since: textOrNull('When it was locked, ISO 8601 in UTC; null while it is open'),
    until: textOrNull('When the event opens it again; null where nobody has said'),
    reason: Type.Union([Type.Enum(['organisers', 'phase', 'end']), Type.Null()], {
      description:
        '`organisers` have locked this board, `phase`: the phase of the event has ended, `end`: the organisers have ended the event. Null while it is open',
    }),
    late_until: textOrNull('Until when entries of what happened before the lock are taken all the same'),
  }),
  limits_now: Type.Array(limitInUseSchema, { description: 'Every limit that calls of the team may meet' }),
  announcements: Type.Array(shownAnnouncementSchema),
  questions: Type.Object(
    {
      asked: Type.Integer(),
      waiting: Type.Integer({ description: 'Those that nobody has answered yet' }),
      last_answered_at: textOrNull('ISO 8601 in UTC; null where nothing was answered yet'),
    },
    { description: 'What the team has asked: `GET /self/questions` has the texts' },
  ),
}
const selfFiguresSchema = Type.Object(figures)

export const selfSchema = Type.Object({
  ...replyHead,
  ...figures,
  member: memberSchema,
  keys: Type.Array(selfKeySchema, { description: 'All keys of the team: they share its budget' }),
  refusal: Type.Union([callSchema, Type.Null()], {
    description: 'The newest refused call of the last ten minutes; null for none',
  }),
  wrong_clocks: Type.Array(
    Type.Object({
      person: textOrNull('Whose laptop it is; null if its log token belongs to the whole team'),
      difference: Type.String({
        description: "To be followed by the server's clock",
        examples: ['3 h behind', '26 h ahead of'],
      }),
    }),
    {
      description:
        'Laptops whose clock was more than two minutes off when their recorder last sent. Log entries carry the time of the laptop',
    },
  ),
  dialects: Type.Array(Type.Object({ name: Type.String(), base_url: Type.String() }), {
    description: 'In whose ways models can be called, and the address that clients of each are given',
  }),
  addresses: Type.Object({ gateway: Type.String(), logbook: Type.String() }),
})

/** The `data` of each event. */
export const selfStreamEventSchema = Type.Union(
  [
    Type.Object({ ...replyHead, ...figures }, { description: '`self`' }),
    Type.Object(
      {
        now: Type.String({ description: 'The time of the server, ISO 8601 in UTC' }),
        stale: Type.Array(Type.String(), {
          description: 'Not empty when the figures could not be read the last time',
        }),
      },
      { description: '`beat`' },
    ),
    Type.Object(
      { kept_seconds: Type.Integer({ description: 'For how long places are known' }) },
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
      names: Type.Array(Type.String(), { description: 'Every name under which this key can call it' }),
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
        'In any case; empty means no filter. With `session_id`: the `tool` of the session, where two tools have one of this id',
    }),
  ),
  session_id: Type.Optional(plainText({ description: 'As its tool names it; empty means no filter' })),
})

export const selfEntriesSchema = Type.Object({
  ...replyHead,
  items: Type.Array(sessionEntrySchema, {
    description:
      'Newest first. A page may be shorter than `limit`, or empty, where entries are large or few of a session match',
  }),
  next: nextCursor,
})

/** So many keys of one member work at a time, and so many log tokens. */
export const mostOwnKeys = 5

export const newOwnKeyBodySchema = Type.Object(
  {
    key_alias: orNull(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'Its name for people, which no other key may have; made from the name of the member when absent',
      }),
    ),
  },
  { ...strict, examples: [{ key_alias: 'second laptop' }] },
)

export const ownKeySchema = Type.Object({
  ...replyHead,
  key_id: Type.String({ description: 'SHA-256 of the key; no secret' }),
  key: Type.String({ description: 'The key itself, shown this once and kept nowhere' }),
  key_name: Type.String({ description: 'Its beginning and its last four characters' }),
  key_alias: Type.String(),
})

export const newOwnLogTokenBodySchema = Type.Object({}, strict)

export const ownLogTokenSchema = Type.Object({
  ...replyHead,
  token_id: Type.String(),
  log_token: Type.String({ description: 'The log token itself, shown this once and kept nowhere' }),
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
