// Bodies and replies of team requests on the admin door.
import Type, { type Static } from 'typebox'
import { teamKeySchema, teamRecordSchema } from '../info/team-record.ts'
import { orNull } from '../or-null.ts'
import { ownerChanges, ownerFields, plainText, strict } from './owner-fields.ts'
import { actionFields } from './planned-action.ts'
import { refusedOfTeams, strictWith } from './refused-members.ts'

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
  strictWith(refusedOfTeams),
)
export const updateTeamBodySchema = Type.Object(
  { team_id: teamIdSchema, team_alias: teamAlias, ...ownerChanges, members_with_roles: membersWithRoles },
  strictWith(refusedOfTeams),
)
export const teamIdBodySchema = Type.Object({ team_id: teamIdSchema }, strict)
export const deleteTeamsBodySchema = Type.Object(
  { team_ids: Type.Array(teamIdSchema, { minItems: 1, maxItems: 1000 }), ...actionFields },
  strict,
)
export const teamIdQuerySchema = Type.Object({ team_id: teamIdSchema })

export const updatedTeamSchema = Type.Object({ team_id: Type.String(), data: teamRecordSchema })

export const listedTeamSchema = Type.Object({
  ...teamRecordSchema.properties,
  keys: Type.Array(teamKeySchema),
  team_memberships: Type.Array(Type.Unknown()),
})
export const teamListSchema = Type.Array(listedTeamSchema)

const teamFilters = {
  user_id: Type.Optional(
    Type.String({ maxLength: 512, description: 'Only teams in which this owner has a key or is a member' }),
  ),
  organization_id: Type.Optional(
    Type.String({ maxLength: 512, description: 'Only teams with this `organization_id`' }),
  ),
}
export const listTeamsQuerySchema = Type.Object(teamFilters)

/** LiteLLM's parameters. */
export const pageTeamsQuerySchema = Type.Object({
  ...teamFilters,
  team_id: Type.Optional(Type.String({ maxLength: 512, description: 'Only the team with this id' })),
  team_alias: Type.Optional(
    Type.String({ maxLength: 512, description: 'Only teams with this text in their name, ignoring case' }),
  ),
  search: Type.Optional(
    Type.String({ maxLength: 512, description: 'Only teams with this id, or with this text in their name' }),
  ),
  status: Type.Optional(
    Type.Enum(['deleted'], { description: 'Only the teams that `POST /team/delete` has hidden' }),
  ),
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  sort_by: Type.Optional(Type.Enum(['team_id', 'team_alias', 'created_at'], { default: 'created_at' })),
  sort_order: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc' })),
})
export const teamsPageSchema = Type.Object({
  teams: teamListSchema,
  total: Type.Integer(),
  page: Type.Integer(),
  page_size: Type.Integer(),
  total_pages: Type.Integer(),
})

export type ListTeamsQuery = Static<typeof listTeamsQuerySchema>
export type PageTeamsQuery = Static<typeof pageTeamsQuerySchema>
export type TeamsPage = Static<typeof teamsPageSchema>
export type DeleteTeamsBody = Static<typeof deleteTeamsBodySchema>
export type TeamFields = Omit<Static<typeof updateTeamBodySchema>, 'team_id'>
export type NewTeamBody = Static<typeof newTeamBodySchema>
export type UpdateTeamBody = Static<typeof updateTeamBodySchema>
export type ListedTeam = Static<typeof listedTeamSchema>
