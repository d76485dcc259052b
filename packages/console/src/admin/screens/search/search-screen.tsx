// Search screen: finds text in the logs of all teams.
import { Link } from '@tanstack/react-router'
import { useAddress } from '../../../frame/use-address.ts'
import { SearchView } from '../../../session/search-view.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { TeamSelect } from '../teams/team-select.tsx'

export function SearchScreen() {
  const { search, set } = useAddress()
  return (
    <SearchView
      path="/logs/search"
      queryOf={({ team, person, tool, event, from, until }) => ({
        team_id: team,
        person,
        tool,
        event,
        from,
        until,
      })}
      renderTeam={team => (
        <Link to="/console/teams/$team" params={{ team }}>
          <ForeignText text={team} most={40} />
        </Link>
      )}
    >
      <TeamSelect value={search.team} onChange={value => set({ team: value })} />
    </SearchView>
  )
}
