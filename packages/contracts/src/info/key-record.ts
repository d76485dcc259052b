// Key record returned by GET /key/info (spec 2.1). Every field is always present.
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
    max_budget: orNull(Type.Number({ description: 'USD; null if the key has no budget of its own' })),
    max_parallel_requests: Type.Integer({
      description: 'Maximum simultaneous requests; further requests are refused with 429',
    }),
    metadata: jsonObject(
      'Custom metadata; may hold `model_rpm_limit` and `model_tpm_limit` (model id → limit)',
    ),
    tpm_limit: orNull(Type.Integer({ description: 'Tokens per minute; null means unlimited' })),
    rpm_limit: orNull(Type.Integer({ description: 'Requests per minute; null means unlimited' })),
    expires: orNull(time('Expiry')),
    models: Type.Array(Type.String(), {
      description: "Models assigned to the key; empty if it uses its team's models",
    }),
    aliases: Type.Record(Type.String(), Type.String(), { description: "The key's own names for models" }),
    config: jsonObject('For information only'),
    user_id: Type.String({ description: 'Owner; empty if none was given' }),
    team_id: Type.String(),
    blocked: orNull(Type.Boolean({ description: 'true if blocked' })),
    budget_duration: orNull(Type.String({ description: 'Budget period such as 1d, 1w, 1m' })),
    budget_reset_at: orNull(time('Next budget reset')),
    model_spend: usdByModel('Spend per model in the current period, USD'),
    model_max_budget: usdByModel('Budget per model, USD'),
    permissions: jsonObject('For information only'),
    allowed_cache_controls: Type.Array(Type.Unknown()),
    allowed_routes: Type.Array(Type.String(), { description: 'Empty means every route of the gateway' }),
    budget_id: alwaysNull,
    organization_id: orNull(Type.String({ description: 'For information only' })),
    object_permission_id: alwaysNull,
    created_at: time('Creation'),
    updated_at: time('Last change'),
    created_by: Type.String(),
    updated_by: Type.String(),
    rotation_count: Type.Integer({ description: 'Number of times the secret was replaced' }),
    auto_rotate: Type.Boolean(),
    rotation_interval: alwaysNull,
    last_rotation_at: orNull(time('Last replacement of the secret')),
    key_rotation_at: alwaysNull,
    gateway_budget_table: alwaysNull,
    gateway_organization_table: alwaysNull,
    object_permission: alwaysNull,
    member_id: Type.Optional(
      Type.String({ description: 'Member who owns the key; absent for a key of the whole team' }),
    ),
  },
  { additionalProperties: false },
)

export const keyInfoSchema = Type.Object({
  key: Type.String({ description: 'SHA-256 of the key in lower-case hex, which identifies it' }),
  info: keyRecordSchema,
})

export type KeyRecord = Static<typeof keyRecordSchema>
export type KeyInfo = Static<typeof keyInfoSchema>
