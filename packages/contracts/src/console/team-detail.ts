// What GET /team/info of the admin door adds with `detail=true`: limits in use, spend, refusals and coverage of one team.
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
      description: 'Adds what the team uses and was refused now, which is read from the database',
    }),
  ),
})

export const limitKinds = ['requests', 'tokens', 'parallel', 'budget'] as const
export const limitLevels = ['service_model', 'team', 'team_model', 'key', 'key_model'] as const

export const limitInUseSchema = Type.Object({
  level: Type.Enum([...limitLevels], { description: '`service_model`: shared by all teams' }),
  key: textOrNull('SHA-256 of the key whose limit it is; null for others'),
  model: textOrNull('The model that it limits; null for all models'),
  kind: Type.Enum([...limitKinds], {
    description: '`requests` and `tokens`: in any 60 seconds. `parallel`: calls that run at once.',
  }),
  limit: Type.Integer({ description: 'Nano-dollars for a budget' }),
  used: Type.Integer(),
  peak: Type.Optional(
    Type.Integer({
      description:
        'Of `requests` and `tokens`: the highest `used` of the last hour, absent for other kinds. Windows of teams that called lately are looked at every five seconds, and whenever somebody reads this, so a peak that was over between two looks is missing. It starts over with the server',
    }),
  ),
  held: Type.Integer({ description: 'Held for running calls; 0 for what is no budget' }),
  frees_at: textOrNull(
    'Where the limit is full: when there is room again. Of a budget: when its period ends. ISO 8601 in UTC; null where there is room, or where nobody knows',
  ),
})

const refusalsSchema = Type.Object({
  code: Type.String({ description: 'Of the error that refused the calls' }),
  count: Type.Integer(),
  top_key: Type.String({ description: 'SHA-256 of the key with the most of them' }),
  top_key_alias: textOrNull('Its name for people'),
  top_key_count: Type.Integer({ description: 'How many of them were calls of that key' }),
  text: textOrNull('Why the newest of them was refused, and what to do, in plain words'),
})

const share = (description: string) =>
  Type.Object({ nano: Type.Integer({ description: 'Nano-dollars' }), count: Type.Integer() }, { description })

export const teamDetailSchema = Type.Object({
  as_of: Type.String({ description: 'When the server read this, ISO 8601 in UTC' }),
  state: teamRowSchema.properties.state,
  lights: teamRowSchema.properties.lights,
  limits_now: Type.Array(limitInUseSchema, { description: 'Every limit that calls of the team may meet' }),
  spend_by: Type.Object(
    {
      model: Type.Array(spendReportItemSchema),
      key: Type.Array(spendReportItemSchema),
      person: Type.Array(spendReportItemSchema),
      day: Type.Array(spendPointSchema, { description: 'Days of the time zone of the event' }),
    },
    {
      description:
        'In the present budget period. The first 100 of each, the dearest first; `GET /spend` has them all',
    },
  ),
  refusals_1h: Type.Array(refusalsSchema, { description: 'Of the last hour, the most frequent first' }),
  coverage: Type.Object(
    {
      share: Type.Union([Type.Number(), Type.Null()], {
        description:
          'From 0 to 1, as `GET /coverage` shows it, at most a minute old; null when there is too little to judge',
      }),
      by_session: share('Calls that the id of a logged session covers'),
      by_text: share('Calls that logged texts cover'),
      none: share('Calls that no entry covers, those included for which only the time speaks'),
      logged_only: Type.Object({ sessions: Type.Integer(), entries: Type.Integer() }),
    },
    { description: 'How much of what its agents spent the log explains, over all time' },
  ),
})

export const organiserTeamInfoSchema = Type.Object({
  ...teamInfoSchema.properties,
  uncharged: Type.Array(unchargedSchema, {
    description: 'What calls of the team have used above their holds, by kind of call',
  }),
  ...Type.Partial(teamDetailSchema).properties,
})

export type TeamDetail = Static<typeof teamDetailSchema>
export type LimitInUse = Static<typeof limitInUseSchema>
