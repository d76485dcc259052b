// Members that an organiser can set on both teams and keys. Names follow LiteLLM.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'

export const strict = { additionalProperties: false }

/** Display text. Must not contain NUL, which PostgreSQL cannot store. */
export const plainText = (
  options: {
    readonly description?: string
    readonly minLength?: number
    readonly examples?: readonly string[]
  } = {},
) => Type.String({ maxLength: 512, pattern: '^[^\\u0000]*$', ...options })

const limit = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

const limitByModel = (what: string) =>
  Type.Record(Type.String(), limit(what), {
    description: `Model id or alias → ${what}; stored in \`metadata\`. Null removes all of them.`,
  })

const modelRpmLimitSchema = limitByModel('requests per minute')
const modelTpmLimitSchema = limitByModel('tokens per minute')

/** The message also names the grant, because callers send differences such as `+10`. */
const maxBudgetSchema = Type.Refine(
  Type.Number({ minimum: 0, description: 'USD, rounded to the nano-dollar; null means no limit' }),
  Number.isFinite,
  () =>
    'must be the whole budget in USD, as a number. To give a team more in its current period, use POST /teams/grant (fairgate grant)',
)

/** Absent means unchanged, or the default for a new row. Null means none. */
export const ownerFields = {
  max_budget: orNull(maxBudgetSchema),
  budget_duration: orNull(
    Type.String({
      description:
        '1d (UTC day), 1w (week from Monday), 1m (calendar month), or days or hours such as 30d or 12h; null means one period without end. Changing it starts a new period.',
    }),
  ),
  rpm_limit: orNull(limit('Requests per minute; null means no limit')),
  tpm_limit: orNull(limit('Tokens per minute; null means no limit')),
  model_rpm_limit: orNull(modelRpmLimitSchema),
  model_tpm_limit: orNull(modelTpmLimitSchema),
  models: orNull(Type.Array(Type.String({ minLength: 1 }), { description: 'Model ids or aliases' })),
  blocked: orNull(Type.Boolean()),
  metadata: orNull(
    Type.Object(
      { model_rpm_limit: orNull(modelRpmLimitSchema), model_tpm_limit: orNull(modelTpmLimitSchema) },
      {
        description:
          'Replaces the custom metadata. Limits per model can be given here or next to it; limits that are not named stay unchanged.',
      },
    ),
  ),
  organization_id: orNull(Type.String({ description: 'For information only' })),
  tags: orNull(
    Type.Array(Type.String(), {
      description: 'Tags to select teams for bulk actions; stored in `metadata`',
    }),
  ),
  guardrails: orNull(
    Type.Array(Type.String(), { description: 'For information only; stored in `metadata`' }),
  ),
}

const entriesByModel = (replaced: string, what: string) =>
  Type.Optional(
    Type.Record(Type.String(), Type.Union([limit(what), Type.Null()]), {
      description: `Model id or alias → ${what}, or null to remove it. Other models keep their limits; \`${replaced}\` replaces all of them.`,
    }),
  )

/** Members of an update: those of a new row, plus changes of single models. */
export const ownerChanges = {
  ...ownerFields,
  set_model_rpm_limit: entriesByModel('model_rpm_limit', 'requests per minute'),
  set_model_tpm_limit: entriesByModel('model_tpm_limit', 'tokens per minute'),
}

const ownerFieldsSchema = Type.Object(ownerFields)
const ownerChangesSchema = Type.Object(ownerChanges)
export type OwnerFields = Static<typeof ownerFieldsSchema>
export type OwnerChanges = Static<typeof ownerChangesSchema>
