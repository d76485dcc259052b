// Chooses the teams that LiteLLM's lists show: by owner, organisation, id or name, in the requested order. Pure.
import type { ListTeamsQuery, PageTeamsQuery } from '@fairgate/contracts/management/team-bodies.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Team } from '../directory/types.ts'
import { isOwnedBy } from '../directory/user-info.ts'

type Lookups = Pick<Directory, 'keysOfTeam' | 'membersOfTeam'>

export function chooseListed(
  { keysOfTeam, membersOfTeam }: Lookups,
  teams: readonly Team[],
  { user_id: userId, organization_id: organization }: ListTeamsQuery,
): Team[] {
  const isOf = ({ teamId }: Team, owner: string) =>
    keysOfTeam(teamId).some(key => isOwnedBy(key, owner)) ||
    membersOfTeam(teamId).some(({ memberId }) => memberId === owner)
  return teams.filter(
    team =>
      (organization === undefined || team.informational?.organization_id === organization) &&
      (userId === undefined || isOf(team, userId)),
  )
}

export function choosePaged(lookups: Lookups, teams: readonly Team[], query: PageTeamsQuery): Team[] {
  const {
    team_id: teamId,
    team_alias: alias,
    search,
    sort_by: sort = 'created_at',
    sort_order: order,
  } = query
  const chosen = chooseListed(lookups, teams, query).filter(
    team =>
      (teamId === undefined || team.teamId === teamId) &&
      (alias === undefined || hasText(team.alias, alias)) &&
      (search === undefined || team.teamId === search || hasText(team.alias, search)),
  )
  const place = ({ alias: name, teamId: id, createdAt }: Team) =>
    ({ team_id: id, team_alias: name, created_at: createdAt })[sort]
  const sorted = chosen.toSorted((one, other) =>
    place(one) < place(other) ? -1 : place(one) > place(other) ? 1 : 0,
  )
  return order === 'desc' ? sorted.toReversed() : sorted
}

function hasText(name: string, text: string): boolean {
  return name.toLocaleLowerCase().includes(text.toLocaleLowerCase())
}
