// Which teams an act on many reaches.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ChosenTeams } from '@fairgate/contracts/management/bulk.ts'
import type { DirectoryLookups } from './directory-memory.ts'
import { requireTeam } from './refusals.ts'
import type { Team } from './types.ts'

/** Each once, in the order of creation. Throws ApiError `team_not_found`, and `invalid_request` where none is left. */
export function chooseTeams(
  lookups: Pick<DirectoryLookups, 'findTeam' | 'teams'>,
  { teams, where }: ChosenTeams,
): readonly Team[] {
  const named = teams === 'all' ? null : new Set(teams.map(teamId => requireTeam(lookups, teamId)))
  const tag = where?.tag
  const chosen = lookups
    .teams()
    .filter(team => (named === null || named.has(team)) && (tag === undefined || tagsOf(team).includes(tag)))
  if (chosen.length > 0) return chosen
  if (tag === undefined) throw invalidRequest('teams', 'There are no teams yet.')
  throw invalidRequest('where.tag', `None of these teams has the tag "${tag}".`)
}

function tagsOf({ metadata: { tags } }: Team): readonly unknown[] {
  return Array.isArray(tags) ? tags : []
}
