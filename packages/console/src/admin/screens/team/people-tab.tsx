// People tab: a team's members, keys, log tokens, claim codes and recorders.

import type { People } from '@fairgate/contracts/management/people.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { useMayOrganise } from '../../session-context.tsx'
import { ClaimsCard } from './claims-card.tsx'
import { KeysCard } from './keys-card.tsx'
import { LogTokensCard } from './log-tokens-card.tsx'
import { PeopleCard } from './people-card.tsx'
import { RecordersCard } from './recorders-card.tsx'

export function PeopleTab({ team }: { readonly team: string }) {
  const mayOrganise = useMayOrganise()
  const people = useRead(readOf<People>('/people', { team_id: team, limit: 500 }), { isOff: !mayOrganise })
  const members = people.data?.items ?? []
  return (
    <>
      {mayOrganise ? (
        <>
          <PeopleCard team={team} read={people} />
          <KeysCard team={team} members={members} />
        </>
      ) : null}
      <RecordersCard team={team} />
      {mayOrganise ? (
        <div className="team-halves">
          <LogTokensCard team={team} members={members} />
          <ClaimsCard team={team} />
        </div>
      ) : null}
    </>
  )
}
