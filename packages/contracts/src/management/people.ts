// The bodies and replies of the admin door's calls about people: the members of teams, with their keys and log tokens.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { plainText, strict } from './owner-fields.ts'
import { actFields, actQueryFields } from './planned-act.ts'
import { teamIdSchema } from './team-bodies.ts'

/** Names are shown on pages and in terminals: at least one character that can be seen, and none that controls. */
export const personNameSchema = Type.String({
  maxLength: 100,
  pattern:
    '^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: 'Name for people; no two members of a team have the same',
})

export const emailSchema = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@\\u0000]+@[^\\s@\\u0000]+$',
  description: 'For organisers; nothing is sent to it',
})

export const reasonSchema = orNull(plainText({ description: 'Why, for the audit' }))

export const newPersonBodySchema = Type.Object(
  { team_id: teamIdSchema, name: personNameSchema, email: orNull(emailSchema), ...actFields },
  strict,
)

export const updatePersonBodySchema = Type.Object(
  {
    name: Type.Optional(personNameSchema),
    email: orNull(emailSchema),
    free_seat: Type.Optional(
      Type.Literal(true, {
        description:
          'Lets the member claim again, as after a lost laptop; keys that were made stay as they are',
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
        "What becomes of the member's working keys and log tokens: `block` stops them, `keep` leaves them to the team. Needed where there are any.",
    }),
  ),
  ...actQueryFields,
})

export const listPeopleQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  removed: Type.Optional(Type.Boolean({ default: false, description: 'Removed members too' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  after: Type.Optional(plainText({ description: '`next` of the page before' })),
})

const time = Type.String({ description: 'ISO 8601 in UTC' })
const timeOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const memberFields = {
  member_id: Type.String(),
  team_id: Type.String(),
  name: Type.String(),
  email: Type.Union([Type.String(), Type.Null()]),
  claimed_at: timeOrNull('When a claim took the seat; null while it is free'),
  removed_at: timeOrNull('Null for who is in the team'),
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
      token: Type.String({ description: 'Lower-case hex SHA-256 of the key' }),
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
  as_of: Type.String({ description: 'ISO 8601 in UTC: the instant of this answer' }),
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
