// Bodies and reply of bulk actions on the admin door: which teams, which changes, and whether it is a dry run.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { grantBodySchema } from './corrections.ts'
import { ownerChanges, plainText, strict } from './owner-fields.ts'
import { actionFields, actionReplySchema } from './planned-action.ts'
import { teamIdSchema } from './team-bodies.ts'

const chosenTeams = {
  teams: Type.Union([
    Type.Literal('all'),
    Type.Array(teamIdSchema, { minItems: 1, maxItems: 10_000, description: 'Each team must exist' }),
  ]),
  where: orNull(
    Type.Object(
      { tag: plainText({ minLength: 1, description: 'Only teams with this tag in `tags`' }) },
      strict,
    ),
  ),
}

export const updateTeamsBodySchema = Type.Object({ ...chosenTeams, ...ownerChanges, ...actionFields }, strict)
export const chosenTeamsBodySchema = Type.Object({ ...chosenTeams, ...actionFields }, strict)
export const lockTeamsBodySchema = Type.Object(
  {
    ...chosenTeams,
    lock_at: orNull(
      Type.String({ description: 'ISO 8601 with offset: locks from then on. Absent or null: locks now.' }),
    ),
    ...actionFields,
  },
  strict,
)
export const grantTeamsBodySchema = Type.Object(
  { ...chosenTeams, ...actionFields, ...grantBodySchema.properties },
  {
    ...strict,
    examples: [
      { teams: 'all', amount_nano: 5_000_000_000, reason: 'Lost an hour to a failed disk', dry_run: true },
    ],
  },
)

export const bulkReplySchema = Type.Object({
  ...actionReplySchema.properties,
  bulk_id: Type.Union([Type.String(), Type.Null()], {
    description: 'Recorded in the audit rows of this action, one per team; null if nothing was changed',
  }),
})

/** LiteLLM's reply names the teams. */
export const deletedTeamsSchema = Type.Object({
  deleted_teams: Type.Array(Type.String(), { description: 'Empty for a dry run' }),
  ...bulkReplySchema.properties,
})

export type ChosenTeams = Pick<Static<typeof chosenTeamsBodySchema>, 'teams' | 'where'>
export type UpdateTeamsBody = Static<typeof updateTeamsBodySchema>
export type ChosenTeamsBody = Static<typeof chosenTeamsBodySchema>
export type GrantTeamsBody = Static<typeof grantTeamsBodySchema>
export type LockTeamsBody = Static<typeof lockTeamsBodySchema>
