// The bodies and the reply of the admin door's acts on many teams: which teams, what, and whether it is only to be told.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { grantBodySchema } from './corrections.ts'
import { ownerChanges, plainText, strict } from './owner-fields.ts'
import { actFields, actReplySchema } from './planned-act.ts'
import { teamIdSchema } from './team-bodies.ts'

const chosenTeams = {
  teams: Type.Union([
    Type.Literal('all'),
    Type.Array(teamIdSchema, { minItems: 1, maxItems: 10_000, description: 'Each must be there' }),
  ]),
  where: orNull(
    Type.Object(
      { tag: plainText({ minLength: 1, description: 'Only those that have this among their `tags`' }) },
      strict,
    ),
  ),
}

export const updateTeamsBodySchema = Type.Object({ ...chosenTeams, ...ownerChanges, ...actFields }, strict)
export const chosenTeamsBodySchema = Type.Object({ ...chosenTeams, ...actFields }, strict)
export const lockTeamsBodySchema = Type.Object(
  {
    ...chosenTeams,
    lock_at: orNull(
      Type.String({ description: 'ISO 8601 with offset: lock from then on. Absent or null: lock now.' }),
    ),
    ...actFields,
  },
  strict,
)
export const grantTeamsBodySchema = Type.Object(
  { ...chosenTeams, ...actFields, ...grantBodySchema.properties },
  strict,
)

export const bulkReplySchema = Type.Object({
  ...actReplySchema.properties,
  bulk_id: Type.Union([Type.String(), Type.Null()], {
    description: 'Stands in the audit rows of this act, one for each team; null when nothing was changed',
  }),
})

export type ChosenTeams = Pick<Static<typeof chosenTeamsBodySchema>, 'teams' | 'where'>
export type UpdateTeamsBody = Static<typeof updateTeamsBodySchema>
export type ChosenTeamsBody = Static<typeof chosenTeamsBodySchema>
export type GrantTeamsBody = Static<typeof grantTeamsBodySchema>
export type LockTeamsBody = Static<typeof lockTeamsBodySchema>
