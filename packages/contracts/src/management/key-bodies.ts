// Bodies and replies of key requests on the admin door.
import Type, { type Static } from 'typebox'
import { keyRecordSchema } from '../info/key-record.ts'
import { orNull } from '../or-null.ts'
import { ownerChanges, ownerFields, plainText, strict } from './owner-fields.ts'
import { actionFields } from './planned-action.ts'
import {
  refusedOfKeyChanges,
  refusedOfModelBudgets,
  refusedOfNewKeys,
  refusedOfNewSecrets,
  strictWith,
} from './refused-members.ts'
import { teamIdSchema } from './team-bodies.ts'

const keyReferenceSchema = Type.String({
  minLength: 1,
  maxLength: 512,
  description:
    'The key, its SHA-256 in hex or at least its first 4 digits, its alias, or its last four characters; prefix with `team_id/` to search only the keys of one team. An ambiguous reference is refused with the hashes of the matching keys.',
})

const modelBudget = Type.Number({
  minimum: 0,
  description: "USD within the key's period, rounded to the nano-dollar",
})

/** In LiteLLM's format, under either of its names. */
const modelPeriod = {
  time_period: orNull(
    Type.String({
      description:
        "All budgets of a key have the key's period. Must be its `budget_duration`; sets that if the key has none and no `max_budget`.",
    }),
  ),
  budget_duration: orNull(Type.String({ description: 'Same as `time_period`' })),
}

const modelBudgetSchema = Type.Union([
  modelBudget,
  Type.Object({ budget_limit: modelBudget, ...modelPeriod }, strictWith(refusedOfModelBudgets)),
  Type.Object({ max_budget: modelBudget, ...modelPeriod }, strictWith(refusedOfModelBudgets)),
])

const keyFields = {
  key_alias: orNull(plainText()),
  duration: orNull(
    Type.String({ description: 'Time to expiry from now: 90s, 12h, 30d or 4w; null means never' }),
  ),
  user_id: orNull(plainText({ description: 'Owner, for information only' })),
  member_id: orNull(plainText({ description: 'Member who owns the key; null means the whole team' })),
  ...ownerFields,
  aliases: orNull(
    Type.Record(Type.String(), Type.String(), {
      description: "The key's own name → model id or alias",
    }),
  ),
  model_max_budget: orNull(
    Type.Record(Type.String(), modelBudgetSchema, { description: 'Model id or alias → budget' }),
  ),
  max_parallel_requests: orNull(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Null means the service default' }),
  ),
  allowed_routes: orNull(
    Type.Array(Type.String({ pattern: '^/' }), {
      description:
        'Gateway paths as shown in its reference, or a prefix such as `/vendor/*`; empty means all',
    }),
  ),
  config: orNull(Type.Record(Type.String(), Type.Unknown(), { description: 'For information only' })),
  permissions: orNull(Type.Record(Type.String(), Type.Unknown(), { description: 'For information only' })),
  allowed_cache_controls: orNull(Type.Array(Type.Unknown(), { description: 'For information only' })),
}

export const generateKeyBodySchema = Type.Object(
  { team_id: teamIdSchema, ...keyFields },
  strictWith(refusedOfNewKeys),
)
export const updateKeyBodySchema = Type.Object(
  {
    key: keyReferenceSchema,
    ...keyFields,
    ...ownerChanges,
    set_model_max_budget: Type.Optional(
      Type.Record(Type.String(), Type.Union([modelBudgetSchema, Type.Null()]), {
        description:
          'Model id or alias → budget, or null to remove it. Other models keep their budgets; `model_max_budget` replaces all of them.',
      }),
    ),
    ...actionFields,
  },
  strictWith(refusedOfKeyChanges),
)
export const keyBodySchema = Type.Object({ key: keyReferenceSchema, ...actionFields }, strict)
export const keyQuerySchema = Type.Object({ key: keyReferenceSchema })
export const deleteKeysBodySchema = Type.Object(
  {
    keys: Type.Optional(Type.Array(keyReferenceSchema, { minItems: 1, maxItems: 1000 })),
    key_aliases: Type.Optional(
      Type.Array(keyReferenceSchema, {
        minItems: 1,
        maxItems: 1000,
        description: 'More keys, by their aliases',
      }),
    ),
    ...actionFields,
  },
  { ...strict, examples: [{ keys: ['<key>'] }] },
)

const newSecretFields = {
  grace: orNull(
    Type.String({
      description:
        'How long the old secret keeps working: 90s, 15m, 12h or 7d, at most 30 days; absent or null: it stops immediately',
    }),
  ),
  grace_period: orNull(Type.String({ description: 'Same as `grace`' })),
  ...actionFields,
}
export const regenerateKeyBodySchema = Type.Object(newSecretFields, strictWith(refusedOfNewSecrets))
/** For the path that does not name the key. */
export const regenerateNamedKeyBodySchema = Type.Object(
  { key: keyReferenceSchema, ...newSecretFields },
  strictWith(refusedOfNewSecrets),
)
export const listDeletedKeysQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  after: Type.Optional(Type.String({ maxLength: 512, description: '`next` of the previous page' })),
})
export const listKeysQuerySchema = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  team_id: Type.Optional(teamIdSchema),
  user_id: Type.Optional(Type.String({ maxLength: 512, description: 'Only keys with this owner' })),
  organization_id: Type.Optional(
    Type.String({ maxLength: 512, description: 'Only keys with this `organization_id`' }),
  ),
  key_hash: Type.Optional(Type.String({ maxLength: 512, description: 'Only the key with this SHA-256' })),
  key_alias: Type.Optional(Type.String({ maxLength: 512, description: 'Only keys with this alias' })),
  return_full_object: Type.Optional(
    Type.Boolean({ default: false, description: 'Return key records instead of SHA-256 values' }),
  ),
})

/** A key record with its identity under both LiteLLM names. */
export const keyRowSchema = Type.Object({
  token: Type.String({ description: 'SHA-256 of the key in lower-case hex' }),
  token_id: Type.String({ description: 'Same as `token`' }),
  ...keyRecordSchema.properties,
})

export const generatedKeySchema = Type.Object({
  key: Type.String({ description: 'The key itself. Shown only once: only its SHA-256 is stored.' }),
  ...keyRowSchema.properties,
})

export const updatedKeySchema = Type.Object({
  key: Type.String({ description: 'SHA-256 of the key in lower-case hex' }),
  ...keyRowSchema.properties,
})
export const regeneratedKeySchema = Type.Object({
  ...generatedKeySchema.properties,
  old_key_until: Type.Union([Type.String(), Type.Null()], {
    description: 'Until when the old secret also works; null if it has stopped',
  }),
})
export const deletedKeyListSchema = Type.Object({
  items: Type.Array(
    Type.Object({
      key: Type.String({ description: 'SHA-256 of the key in lower-case hex' }),
      key_name: Type.String(),
      key_alias: Type.String(),
      team_id: Type.String(),
      user_id: Type.String(),
      deleted_at: Type.String({ description: 'ISO 8601 in UTC' }),
      deleted_by: Type.String(),
    }),
    { description: 'Last deleted first' },
  ),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Pass it as `after` for the next page; null on the last page',
  }),
  as_of: Type.String({ description: 'Time of this reply, ISO 8601 in UTC' }),
  version: Type.Integer({ description: "Number of the directory's last change" }),
})
export const keyListSchema = Type.Object({
  keys: Type.Array(Type.Union([Type.String(), keyRowSchema])),
  total_count: Type.Integer(),
  current_page: Type.Integer(),
  total_pages: Type.Integer(),
})
export const deletedKeysSchema = Type.Object({
  deleted_keys: Type.Array(Type.String(), { description: 'SHA-256 values' }),
})

export type KeyFields = Omit<Static<typeof updateKeyBodySchema>, 'key' | keyof typeof actionFields>
export type GenerateKeyBody = Static<typeof generateKeyBodySchema>
export type DeleteKeysBody = Static<typeof deleteKeysBodySchema>
export type UpdateKeyBody = Static<typeof updateKeyBodySchema>
export type RegenerateKeyBody = Static<typeof regenerateKeyBodySchema>
export type KeyRow = Static<typeof keyRowSchema>
export type GeneratedKey = Static<typeof generatedKeySchema>
export type RegeneratedKey = Static<typeof regeneratedKeySchema>
export type DeletedKeyList = Static<typeof deletedKeyListSchema>
export type KeyList = Static<typeof keyListSchema>
