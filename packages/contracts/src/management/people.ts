// Bodies and replies for people on the admin door: team members with their keys and log tokens.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { plainText, strict } from './owner-fields.ts'
import { actionFields, actionQueryFields } from './planned-action.ts'
import { teamIdSchema } from './team-bodies.ts'

/** Names appear on pages and in terminals: at least one visible character and no control characters. */
export const personNameSchema = Type.String({
  maxLength: 100,
  pattern:
    '^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: 'Display name; must be unique within the team',
})

export const emailSchema = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@\\u0000]+@[^\\s@\\u0000]+$',
  description: 'For organisers; nothing is sent to it',
})

export const reasonSchema = orNull(plainText({ description: 'Reason, for the audit log' }))

export const newPersonBodySchema = Type.Object(
  { team_id: teamIdSchema, name: personNameSchema, email: orNull(emailSchema), ...actionFields },
  strict,
)

export const updatePersonBodySchema = Type.Object(
  {
    name: Type.Optional(personNameSchema),
    email: orNull(emailSchema),
    free_seat: Type.Optional(
      Type.Literal(true, {
        description:
          'Lets the member claim again, for example after losing a laptop; existing keys are unchanged',
      }),
    ),
    reason: reasonSchema,
  },
  strict,
)

export const removePersonQuerySchema = Type.Object({
  keys: Type.Optional(
    Type.Union([Type.Literal('block'), Type.Literal('keep')], {
      description:
        "What happens to the member's working keys and log tokens: `block` stops them, `keep` leaves them to the team. Required if there are any.",
    }),
  ),
  ...actionQueryFields,
})

export const listPeopleQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  removed: Type.Optional(Type.Boolean({ default: false, description: 'Include removed members' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  after: Type.Optional(plainText({ description: '`next` of the previous page' })),
})

const time = Type.String({ description: 'ISO 8601 in UTC' })
const timeOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const memberFields = {
  member_id: Type.String(),
  team_id: Type.String(),
  name: Type.String(),
  email: Type.Union([Type.String(), Type.Null()]),
  claimed_at: timeOrNull('When the seat was claimed; null while it is free'),
  removed_at: timeOrNull('Null for a current member'),
  created_at: time,
  updated_at: time,
  created_by: Type.String(),
  updated_by: Type.String(),
}
const memberRecordSchema = Type.Object(memberFields)

export const personSchema = Type.Object({
  ...memberFields,
  keys: Type.Array(
    Type.Object({
      token: Type.String({ description: 'SHA-256 of the key in lower-case hex' }),
      key_name: Type.String(),
      key_alias: Type.String(),
      blocked: Type.Boolean(),
      expires_at: timeOrNull('Null means never'),
    }),
  ),
  log_tokens: Type.Array(
    Type.Object({
      token_id: Type.String(),
      token_name: Type.String(),
      revoked_at: timeOrNull('Null while it works'),
    }),
  ),
})

/** Members of every reply about people and claims. */
export const moment = {
  as_of: Type.String({ description: 'Time of this reply, ISO 8601 in UTC' }),
  version: Type.Integer({ description: "Number of the directory's last change" }),
}

export const personReplySchema = Type.Object({ ...personSchema.properties, ...moment })
export const peopleSchema = Type.Object({
  items: Type.Array(personSchema),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Pass it as `after` for the next page; null on the last page',
  }),
  total: Type.Object({ count: Type.Integer() }),
  ...moment,
})

export type MemberRecord = Static<typeof memberRecordSchema>
export type Person = Static<typeof personSchema>
export type People = Static<typeof peopleSchema>
export type PersonReply = Static<typeof personReplySchema>
export type NewPersonBody = Static<typeof newPersonBodySchema>
export type UpdatePersonBody = Static<typeof updatePersonBodySchema>
export type RemovePersonQuery = Static<typeof removePersonQuerySchema>
