// Team record returned by GET /team/info (spec 2.2), with additional fields that LiteLLM clients expect.
import Type, { type Static } from 'typebox'
import { shownAnnouncementSchema } from './announcements.ts'

const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const time = (description: string) => Type.String({ description: `${description}, ISO 8601 in UTC` })
const limitByModel = Type.Record(Type.String(), Type.Integer())
const emptyList = (description: string) => Type.Array(Type.Unknown(), { description })

export const teamMetadataSchema = Type.Object(
  { model_rpm_limit: limitByModel, model_tpm_limit: limitByModel },
  { description: 'Custom metadata, including limits per model id (empty if there are none)' },
)

export const teamRecordSchema = Type.Object(
  {
    team_id: Type.String(),
    team_alias: Type.String(),
    organization_id: orNull(Type.String({ description: 'For information only' })),
    admins: emptyList('Always empty here'),
    members: emptyList('Always empty here'),
    members_with_roles: Type.Array(Type.Unknown(), { description: 'For information only' }),
    metadata: teamMetadataSchema,
    spend: Type.Number({ description: 'Spend of all keys in the current period, USD' }),
    held: Type.Number({ description: 'Held for running calls, USD' }),
    max_budget: orNull(Type.Number({ description: 'USD; null means no limit' })),
    rpm_limit: orNull(
      Type.Integer({ description: 'Requests per minute over all keys; null means unlimited' }),
    ),
    tpm_limit: orNull(Type.Integer({ description: 'Tokens per minute over all keys; null means unlimited' })),
    budget_duration: orNull(Type.String({ description: 'Budget period such as 1d, 1w, 1m' })),
    current_budget: orNull(
      Type.Number({
        description: 'Budget that applies now, USD: that of the phase or the team, including grants',
      }),
    ),
    budget_reset_at: orNull(time('Next budget reset')),
    models: Type.Array(Type.String(), { description: 'Empty means the whole catalog' }),
    blocked: Type.Boolean(),
    created_at: time('Creation'),
    updated_at: time('Last change'),
    created_by: Type.String(),
    updated_by: Type.String(),
    hidden_at: Type.Optional(
      time('Since when lists leave the team out; absent if they show it. Unblocking shows it again'),
    ),
  },
  { additionalProperties: false },
)

export const teamKeySchema = Type.Object(
  {
    key_name: Type.String(),
    key_alias: Type.String(),
    spend: Type.Number({ description: 'USD' }),
    blocked: orNull(Type.Boolean()),
    created_at: time('Creation'),
    expires: orNull(time('Expiry')),
  },
  { additionalProperties: false },
)

export const teamInfoSchema = Type.Object({
  team_id: Type.String(),
  team_info: teamRecordSchema,
  keys: Type.Array(teamKeySchema, { description: "The team's keys, without their secrets or identities" }),
  team_memberships: emptyList('Always empty here'),
  announcements: Type.Optional(
    Type.Array(shownAnnouncementSchema, {
      description: 'Announcements currently shown to the team, newest first; absent if there are none',
    }),
  ),
})

export type TeamMetadata = Static<typeof teamMetadataSchema>
export type TeamRecord = Static<typeof teamRecordSchema>
export type TeamKey = Static<typeof teamKeySchema>
export type TeamInfo = Static<typeof teamInfoSchema>
