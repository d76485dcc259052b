// What an organiser sends about a team → the team as it will be.
import type { TeamFields } from '@fairgate/contracts/management/team-bodies.ts'
import { applyOwnerFields, type Change, emptyOwner, setMember } from './apply-owner-fields.ts'
import type { Team } from './types.ts'

export function buildNewTeam(teamId: string, fields: TeamFields, change: Change): Team {
  return applyTeamFields({ ...emptyOwner(change), teamId, alias: teamId }, fields, change)
}

/** Throws ApiError `invalid_request` naming the member. */
export function applyTeamFields(current: Team, fields: TeamFields, change: Change): Team {
  const owner = applyOwnerFields(current, fields, change, [])
  return {
    ...owner,
    teamId: current.teamId,
    alias: fields.team_alias === undefined ? current.alias : (fields.team_alias ?? current.teamId),
    informational: setMember(owner.informational ?? {}, 'members_with_roles', fields.members_with_roles),
  }
}
