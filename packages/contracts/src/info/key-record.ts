// The key record that GET /key/info returns (spec 2.1). Every field is always present.
import Type, { type Static } from 'typebox'

const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const jsonObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })
const usdByModel = (description: string) => Type.Record(Type.String(), Type.Number(), { description })
const time = (description: string) => Type.String({ description: `${description}, ISO 8601 in UTC` })
const alwaysNull = Type.Null({ description: 'Always null here' })

export const keyRecordSchema = Type.Object(
  {
    key_name: Type.String({ description: 'Display name: `sk-...` and the last four characters' }),
    key_alias: Type.String(),
    soft_budget_cooldown: Type.Boolean(),
    spend: Type.Number({ description: 'Spend of this key alone in its current period, USD' }),
    max_budget: orNull(Type.Number({ description: 'USD; null when the key has no budget of its own' })),
    max_parallel_requests: Type.Integer({ description: 'Simultaneous requests; more are refused with 429' }),
    metadata: jsonObject(
      'Custom metadata; may hold `model_rpm_limit` and `model_tpm_limit` (model id → limit)',
    ),
    tpm_limit: orNull(Type.Integer({ description: 'Tokens per minute; null means unlimited' })),
    rpm_limit: orNull(Type.Integer({ description: 'Requests per minute; null means unlimited' })),
    expires: orNull(time('Expiry')),
    models: Type.Array(Type.String(), {
      description: 'Models assigned to the key; empty when it uses those of its team',
    }),
    aliases: Type.Record(Type.String(), Type.String(), { description: "The key's own names for models" }),
    config: jsonObject('For information only'),
    user_id: Type.String({ description: 'Owner; empty when none was given' }),
    team_id: Type.String(),
    blocked: orNull(Type.Boolean({ description: 'true when blocked' })),
    budget_duration: orNull(Type.String({ description: 'Budget period such as 1d, 1w, 1m' })),
    budget_reset_at: orNull(time('Next budget reset')),
    model_spend: usdByModel('Spend per model in the current period, USD'),
    model_max_budget: usdByModel('Budget per model, USD'),
    permissions: jsonObject('For information only'),
    allowed_cache_controls: Type.Array(Type.Unknown()),
    allowed_routes: Type.Array(Type.String(), { description: 'Empty: every route of the gateway' }),
    budget_id: alwaysNull,
    organization_id: orNull(Type.String({ description: 'For information only' })),
    object_permission_id: alwaysNull,
    created_at: time('Creation'),
    updated_at: time('Last change'),
    created_by: Type.String(),
    updated_by: Type.String(),
    rotation_count: Type.Integer({ description: 'How often a new secret has replaced the one before' }),
    auto_rotate: Type.Boolean(),
    rotation_interval: alwaysNull,
    last_rotation_at: orNull(time('Last time that a new secret replaced the one before')),
    key_rotation_at: alwaysNull,
    gateway_budget_table: alwaysNull,
    gateway_organization_table: alwaysNull,
    object_permission: alwaysNull,
    member_id: Type.Optional(
      Type.String({ description: 'The member of the team whose key it is; absent for the whole team' }),
    ),
  },
  { additionalProperties: false },
)

export const keyInfoSchema = Type.Object({
  key: Type.String({ description: 'Lower-case hex SHA-256 of the key: its identity' }),
  info: keyRecordSchema,
})

export type KeyRecord = Static<typeof keyRecordSchema>
export type KeyInfo = Static<typeof keyInfoSchema>
