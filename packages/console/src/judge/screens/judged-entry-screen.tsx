// One entry as stored, such as one that a score cites.
import { StoredEntryView } from '../../session/stored-entry.tsx'
import { Card } from '../../show/card.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { CiteButton } from '../citations.tsx'
import { TeamCrumbs } from '../parts/team-crumbs.tsx'

export function JudgedEntryScreen({ team, seq }: { readonly team: string; readonly seq: string }) {
  return (
    <>
      <PageHead title={`Entry ${seq}`} crumbs={<TeamCrumbs team={team} />}>
        {/^[1-9]\d{0,14}$/.test(seq) ? <CiteButton seq={Number(seq)} /> : null}
      </PageHead>
      <Card>
        <StoredEntryView team={team} seq={seq} hasSessionLink />
      </Card>
    </>
  )
}
