// Link to a team by name, with its id as the tooltip.
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import { Link } from '@tanstack/react-router'
import { readOf, useRead } from '../../../api/use-read.ts'
import { ForeignName } from '../../../show/foreign.tsx'
import { useMayRead } from '../../session-context.tsx'

const maxTeams = 500

/** All lists that name teams share this one read. */
export function useNamedTeams() {
  return useRead(readOf<TeamsReply>('/teams', { sort: 'team_alias', limit: maxTeams }), {
    isOff: !useMayRead('judges'),
  })
}

/** Falls back to the id if the team has no name or no longer exists. */
export function useTeamName(): (id: string) => string {
  const teams = useNamedTeams()
  return id => teams.data?.items.find(({ team_id }) => team_id === id)?.team_alias || id
}

export function TeamLink({ team, className }: { readonly team: string; readonly className?: string }) {
  const nameTeam = useTeamName()
  return (
    <Link to="/console/teams/$team" params={{ team }} title={team} className={className}>
      <ForeignName name={nameTeam(team)} most={28} />
    </Link>
  )
}
