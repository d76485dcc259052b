// Breadcrumbs from the list of teams to one team.
import { ForeignText } from '../../show/foreign.tsx'
import { PageLink } from '../../show/page-link.tsx'
import { startHref, teamHref } from '../judge-address.ts'
import { useTeamName } from '../queue-context.tsx'

export function TeamCrumbs({ team }: { readonly team: string }) {
  return (
    <>
      <PageLink href={startHref}>Teams</PageLink>
      <span aria-hidden>›</span>
      <PageLink href={teamHref(team)}>
        <ForeignText text={useTeamName(team)} most={40} />
      </PageLink>
    </>
  )
}
