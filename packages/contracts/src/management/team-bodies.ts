// Bodies and replies of team requests on the admin door.
import Type, { type Static } from 'typebox'
import { teamKeySchema, teamRecordSchema } from '../info/team-record.ts'
import { orNull } from '../or-null.ts'
import { ownerChanges, ownerFields, plainText, strict } from './owner-fields.ts'

export const teamIdSchema = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
  description: 'Letters, digits, dot, underscore and hyphen; at most 128 characters',
})

const teamAlias = orNull(plainText({ description: 'Display name; default: the team_id' }))
const membersWithRoles = orNull(Type.Array(Type.Unknown(), { description: 'For information only' }))

export const newTeamBodySchema = Type.Object(
  {
    team_id: Type.Optional(teamIdSchema),
    team_alias: teamAlias,
    ...ownerFields,
    members_with_roles: membersWithRoles,
  },
  strict,
)
export const updateTeamBodySchema = Type.Object(
  { team_id: teamIdSchema, team_alias: teamAlias, ...ownerChanges, members_with_roles: membersWithRoles },
  strict,
)
export const teamIdBodySchema = Type.Object({ team_id: teamIdSchema }, strict)
export const teamIdQuerySchema = Type.Object({ team_id: teamIdSchema })

export const updatedTeamSchema = Type.Object({ team_id: Type.String(), data: teamRecordSchema })

export const listedTeamSchema = Type.Object({
  ...teamRecordSchema.properties,
  keys: Type.Array(teamKeySchema),
  team_memberships: Type.Array(Type.Unknown()),
})
export const teamListSchema = Type.Array(listedTeamSchema)

export type TeamFields = Omit<Static<typeof updateTeamBodySchema>, 'team_id'>
export type NewTeamBody = Static<typeof newTeamBodySchema>
export type UpdateTeamBody = Static<typeof updateTeamBodySchema>
export type ListedTeam = Static<typeof listedTeamSchema>
