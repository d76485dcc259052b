// Members that GET /team/info on the admin door adds with `detail=true`: limits in use, spend, refusals and coverage of one team.
import Type, { type Static } from 'typebox'
import { teamInfoSchema } from '../info/team-record.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { unchargedSchema } from '../management/uncharged.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { spendPointSchema, spendReportItemSchema } from '../spend/spend-report.ts'
import { teamRowSchema } from './teams.ts'

export const organiserTeamInfoQuerySchema = Type.Object({
  team_id: teamIdSchema,
  detail: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'true: adds current usage and refusals of the team, read from the database',
    }),
  ),
})

export const limitKinds = ['requests', 'tokens', 'parallel', 'budget'] as const
export const limitLevels = ['service_model', 'team', 'team_model', 'key', 'key_model'] as const

export const limitInUseSchema = Type.Object({
  level: Type.Enum([...limitLevels], { description: '`service_model`: shared by all teams' }),
  key: textOrNull('SHA-256 of the key that has the limit; null for limits of other levels'),
  model: textOrNull('Limited model; null for all models'),
  kind: Type.Enum([...limitKinds], {
    description: '`requests` and `tokens`: within any 60 seconds. `parallel`: simultaneous calls.',
  }),
  limit: Type.Integer({ description: 'Nano-dollars for a budget' }),
  used: Type.Integer(),
  peak: Type.Optional(
    Type.Integer({
      description:
        'For `requests` and `tokens`: the highest `used` of the last hour; absent for other kinds. Sampled every five seconds for recently active teams and on each read, so peaks between two samples can be missed. Resets when the server restarts',
    }),
  ),
  held: Type.Integer({ description: 'Held for running calls; 0 unless this is a budget' }),
  frees_at: textOrNull(
    'When capacity is available again if the limit is reached; for a budget, when its period ends. ISO 8601 in UTC; null if there is capacity or the time is unknown',
  ),
})

const refusalsSchema = Type.Object({
  code: Type.String({ description: 'Error code with which the calls were refused' }),
  count: Type.Integer(),
  top_key: Type.String({ description: 'SHA-256 of the key with the most refused calls' }),
  top_key_alias: textOrNull('Display name of that key'),
  top_key_count: Type.Integer({ description: 'Refused calls of that key' }),
  text: textOrNull('Why the newest of them was refused and what to do, in plain words'),
})

const share = (description: string) =>
  Type.Object({ nano: Type.Integer({ description: 'Nano-dollars' }), count: Type.Integer() }, { description })

export const teamDetailSchema = Type.Object({
  as_of: Type.String({ description: 'When the server read this, ISO 8601 in UTC' }),
  state: teamRowSchema.properties.state,
  lights: teamRowSchema.properties.lights,
  limits_now: Type.Array(limitInUseSchema, { description: 'All limits that apply to calls of the team' }),
  spend_by: Type.Object(
    {
      model: Type.Array(spendReportItemSchema),
      key: Type.Array(spendReportItemSchema),
      person: Type.Array(spendReportItemSchema),
      day: Type.Array(spendPointSchema, { description: "Days in the event's time zone" }),
    },
    {
      description:
        'Spend in the current budget period: the top 100 of each, highest first; `GET /spend` lists all',
    },
  ),
  refusals_1h: Type.Array(refusalsSchema, { description: 'Refusals of the last hour, most frequent first' }),
  coverage: Type.Object(
    {
      share: Type.Union([Type.Number(), Type.Null()], {
        description:
          'From 0 to 1, as in `GET /coverage`, at most one minute old; null if there is too little data',
      }),
      by_session: share('Calls covered by the id of a logged session'),
      by_text: share('Calls covered by logged texts'),
      none: share('Calls that no entry covers, including those matched only by time'),
      logged_only: Type.Object({ sessions: Type.Integer(), entries: Type.Integer() }),
    },
    { description: 'How much agent spend the log explains, over all time' },
  ),
})

export const organiserTeamInfoSchema = Type.Object({
  ...teamInfoSchema.properties,
  uncharged: Type.Array(unchargedSchema, {
    description: "Usage of the team's calls above their holds, by kind of call",
  }),
  ...Type.Partial(teamDetailSchema).properties,
})

export type TeamDetail = Static<typeof teamDetailSchema>
export type LimitInUse = Static<typeof limitInUseSchema>
