// The bodies and replies of calls about who may manage: admin keys with names and roles, and signing in on a page.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { strict } from './owner-fields.ts'
import { moment, personNameSchema, reasonSchema } from './people.ts'
import { actFields, actQueryFields } from './planned-act.ts'

export const roles = ['organiser', 'judge', 'operator'] as const
export type Role = (typeof roles)[number]

const roleSchema = Type.Enum([...roles], {
  description:
    '`organiser` may do everything. `judge` reads teams, calls, sessions and entries. `operator` sees readiness, upstreams, models and the audit.',
})
const nameSchema = Type.String({
  ...personNameSchema,
  description: 'The name that the audit records; no two keys have the same',
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
      Type.Boolean({ description: 'True: the key does not work, and its holder is signed out everywhere' }),
    ),
    reason: reasonSchema,
  },
  { ...strict, examples: [{ blocked: true }] },
)

export const regenerateAdminKeyBodySchema = Type.Object(actFields, strict)

export const deleteAdminKeyQuerySchema = Type.Object(actQueryFields)

const adminKeyFields = {
  key_id: Type.String(),
  key_name: Type.String({ description: 'The beginning and the last four characters of the key' }),
  name: Type.String({ description: 'The name that the audit records' }),
  role: roleSchema,
  blocked: Type.Boolean(),
  created_at: Type.String(),
  created_by: Type.String(),
}

const adminKeySchema = Type.Object(adminKeyFields)

export const adminKeyReplySchema = Type.Object({ ...adminKeyFields, ...moment })

export const newAdminKeyReplySchema = Type.Object({
  key: Type.String({ description: 'The key itself, `adm-…`. Shown once; only its SHA-256 is kept.' }),
  ...adminKeyFields,
  ...moment,
})

export const adminKeyListSchema = Type.Object({
  items: Type.Array(adminKeySchema),
  next: Type.Null({ description: 'Always null: all of them are in the list' }),
  total: Type.Object({ count: Type.Integer() }),
  ...moment,
})

/** As long as any FAIRGATE_ADMIN_KEY may be. */
const secretSchema = (description: string) =>
  orNull(Type.String({ minLength: 1, maxLength: 4096, description }))

export const signInBodySchema = Type.Object(
  {
    key: secretSchema('An admin key'),
    once: secretSchema('What a sign-in link holds behind `#once=`, in place of a key'),
  },
  { ...strict, examples: [{ key: 'adm-…' }] },
)

export const adminSessionSchema = Type.Object({
  name: Type.String({ description: 'The name that the audit records' }),
  role: roleSchema,
  expires_at: Type.Union([Type.String(), Type.Null()], {
    description:
      'When the session ends if it is not used until then: 12 hours after its last use. Null for a key that is sent as bearer token',
  }),
  blind: Type.Boolean({ description: 'True where names of teams and members are kept from the caller' }),
})

export const signOutQuerySchema = Type.Object({
  everywhere: Type.Optional(
    Type.Boolean({ description: 'True: all sessions of the same key end, on every device' }),
  ),
})

export const signedOutSchema = Type.Object({
  ended: Type.Integer({ description: 'How many sessions were ended' }),
})

export const signInLinkBodySchema = Type.Object({}, strict)

export const signInLinkSchema = Type.Object({
  url: Type.String({
    description:
      'Opens the console signed in with the key that made the link, once. The ticket is behind `#`, which browsers send to no server',
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
