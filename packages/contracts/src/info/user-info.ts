// The owner of keys in the format of LiteLLM's /user/info: on the gateway the owner of the calling key, on the admin door any owner.
import Type, { type Static, type TSchema } from 'typebox'
import { keyRowSchema } from '../management/key-bodies.ts'
import { teamKeySchema, teamRecordSchema } from './team-record.ts'

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const userSchema = Type.Object({
  user_id: textOrNull('`user_id` of the key, otherwise its `member_id`; null for a key of the whole team'),
  user_alias: textOrNull('Name of the member; null if the key belongs to no member'),
  user_email: textOrNull('Email of the member; null if it is not known'),
  spend: Type.Number({ description: 'Spend of the keys in their current periods, USD' }),
  teams: Type.Array(Type.String()),
})

const userInfoOf = <Key extends TSchema>(key: Key) =>
  Type.Object({
    user_id: userSchema.properties.user_id,
    user_info: userSchema,
    keys: Type.Array(key, { description: 'Keys with this owner' }),
    teams: Type.Array(teamRecordSchema),
  })

export const ownUserInfoSchema = userInfoOf(teamKeySchema)
export const userInfoSchema = userInfoOf(keyRowSchema)

const userId = Type.String({ minLength: 1, maxLength: 512 })
export const ownUserQuerySchema = Type.Object({ user_id: Type.Optional(userId) })
export const userQuerySchema = Type.Object({ user_id: userId })

export type OwnUserInfo = Static<typeof ownUserInfoSchema>
export type UserInfo = Static<typeof userInfoSchema>
export type User = Static<typeof userSchema>
