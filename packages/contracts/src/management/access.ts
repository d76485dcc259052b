// Bodies and replies for admin keys with names and roles, and for signing in on a page.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { strict } from './owner-fields.ts'
import { moment, personNameSchema, reasonSchema } from './people.ts'
import { actionFields, actionQueryFields } from './planned-action.ts'
import { callerRoles, roles } from './roles.ts'

const roleSchema = Type.Enum([...roles], {
  description:
    '`organiser` can do everything except enter scores. `head_judge` can do everything of judging, enter paper scores, and read what judges read. `judge` can read teams, calls, sessions and entries, unless judging is blind. `operator` can read readiness, upstreams, models and the audit log.',
})
const nameSchema = Type.String({
  ...personNameSchema,
  description: 'Name recorded in the audit log; must be unique',
})

export const newAdminKeyBodySchema = Type.Object(
  { name: nameSchema, role: roleSchema, reason: reasonSchema },
  { ...strict, examples: [{ name: 'Jiwoo Han', role: 'judge' }] },
)

export const updateAdminKeyBodySchema = Type.Object(
  {
    name: Type.Optional(nameSchema),
    role: Type.Optional(roleSchema),
    blocked: Type.Optional(
      Type.Boolean({ description: 'true: the key stops working and its holder is signed out everywhere' }),
    ),
    reason: reasonSchema,
  },
  { ...strict, examples: [{ blocked: true }] },
)

export const regenerateAdminKeyBodySchema = Type.Object(actionFields, strict)

export const deleteAdminKeyQuerySchema = Type.Object(actionQueryFields)

const adminKeyFields = {
  key_id: Type.String(),
  key_name: Type.String({ description: 'Prefix and last four characters of the key' }),
  name: Type.String({ description: 'Name recorded in the audit log' }),
  role: roleSchema,
  blocked: Type.Boolean(),
  created_at: Type.String(),
  created_by: Type.String(),
}

const adminKeySchema = Type.Object(adminKeyFields)

export const adminKeyReplySchema = Type.Object({ ...adminKeyFields, ...moment })

export const newAdminKeyReplySchema = Type.Object({
  key: Type.String({ description: 'The key itself, `adm-…`. Shown only once; only its SHA-256 is stored.' }),
  ...adminKeyFields,
  ...moment,
})

export const adminKeyListSchema = Type.Object({
  items: Type.Array(adminKeySchema),
  next: Type.Null({ description: 'Always null: the list is complete' }),
  total: Type.Object({ count: Type.Integer() }),
  ...moment,
})

/** Accepts the maximum length of FAIRGATE_ADMIN_KEY. */
const secretSchema = (description: string) =>
  orNull(Type.String({ minLength: 1, maxLength: 4096, description }))

export const signInBodySchema = Type.Object(
  {
    key: secretSchema('An admin key'),
    once: secretSchema('One-time ticket from a sign-in link, after `#once=`; use it instead of a key'),
  },
  { ...strict, examples: [{ key: '<key>' }] },
)

export const adminSessionSchema = Type.Object({
  name: Type.String({ description: 'Name recorded in the audit log' }),
  role: Type.Enum([...callerRoles], {
    description: 'Role of the admin key, or `panel_judge` for a judge who has signed in with a claim link',
  }),
  judge_id: Type.Union([Type.String(), Type.Null()], { description: 'Null for an admin key' }),
  expires_at: Type.Union([Type.String(), Type.Null()], {
    description:
      'When the session ends unless it is used before then: 12 hours after its last use. Null for a key sent as bearer token',
  }),
  blind: Type.Boolean({
    description:
      'true for a judge while judging is blind: names of teams and members are hidden, and the key of the role `judge` opens nothing but its session',
  }),
})

export const signOutQuerySchema = Type.Object({
  everywhere: Type.Optional(
    Type.Boolean({ description: 'true: ends all sessions of the same key, on every device' }),
  ),
})

export const signedOutSchema = Type.Object({
  ended: Type.Integer({ description: 'Number of sessions ended' }),
})

export const signInLinkBodySchema = Type.Object({}, strict)

export const signInLinkSchema = Type.Object({
  url: Type.String({
    description:
      'Opens the console signed in with the key that created the link. Works once. The ticket follows `#`, which browsers do not send to any server',
  }),
  expires_at: Type.String(),
})

export type NewAdminKeyBody = Static<typeof newAdminKeyBodySchema>
export type UpdateAdminKeyBody = Static<typeof updateAdminKeyBodySchema>
export type AdminKeyRecord = Static<typeof adminKeySchema>
export type AdminKeyList = Static<typeof adminKeyListSchema>
export type AdminKeyReply = Static<typeof adminKeyReplySchema>
export type NewAdminKeyReply = Static<typeof newAdminKeyReplySchema>
export type AdminSession = Static<typeof adminSessionSchema>
export type SignInLink = Static<typeof signInLinkSchema>
