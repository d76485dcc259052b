// Search in the logs of all teams.
import { useAddress } from '../../frame/use-address.ts'
import { SearchView } from '../../session/search-view.tsx'
import { ForeignText } from '../../show/foreign.tsx'
import { PageLink } from '../../show/page-link.tsx'
import { judgingPath, teamHref } from '../judge-address.ts'
import { OwnTeamSelect } from '../parts/own-team-select.tsx'
import { useTeamName } from '../queue-context.tsx'

export function JudgedSearchScreen() {
  const { search, set } = useAddress()
  return (
    <SearchView
      path={judgingPath('search')}
      queryOf={({ team, tool, event, from, until }) => ({ team, tool, event, from, until })}
      renderTeam={team => <TeamName team={team} />}
    >
      <OwnTeamSelect value={search.team} onChange={team => set({ team })} />
    </SearchView>
  )
}

function TeamName({ team }: { readonly team: string }) {
  return (
    <PageLink href={teamHref(team)}>
      <ForeignText text={useTeamName(team)} most={40} />
    </PageLink>
  )
}
