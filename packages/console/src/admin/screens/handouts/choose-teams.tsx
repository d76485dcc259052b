// Chooses the teams that get a sheet; by default all with people and no active code.

import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import type { ClaimList, ClaimRecord, MadeClaim, MadeClaims } from '@fairgate/contracts/management/claims.ts'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { joinMorePages } from '../../../api/more-pages.ts'
import { readOf, useReadPages } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { ForeignName } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { MoreButton } from '../../../show/more-button.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { MakeCodes } from './make-codes.tsx'

const words = {
  undo: "You can revoke a code at any time on its team's page.",
  durationLabel: 'Code valid for',
}

type ChosenRow = {
  readonly id: string
  readonly name: string
  readonly people: number
  readonly isBlocked: boolean
  readonly claim: ClaimRecord | undefined
}

/** `onMade` gets the new codes, which are shown only once. */
export function ChooseTeams({ onMade }: { readonly onMade: (made: readonly MadeClaim[]) => void }) {
  const { search } = useAddress()
  const teams = useReadPages(readOf<TeamsReply>('/teams', { sort: 'team_id', limit: 500 }))
  const claims = useReadPages(readOf<ClaimList>('/claims', { limit: 500 }))
  const more = joinMorePages(teams.more, claims.more)
  return (
    <>
      <PageHead title="Handouts" crumbs={<Link to="/console/teams">Teams</Link>} />
      <Loaded read={teams} what="The teams" height={38} lines={8}>
        {() => (
          <Loaded read={claims} what="The claim codes" height={38} lines={8}>
            {() => {
              const byTeam = new Map(
                claims.rows.filter(({ state }) => state === 'works').map(claim => [claim.team_id, claim]),
              )
              const wanted = search.teams === undefined ? null : new Set(search.teams.split(','))
              const rows = teams.rows
                .filter(({ team_id }) => wanted === null || wanted.has(team_id))
                .map(
                  ({ team_id, team_alias, people, state }): ChosenRow => ({
                    id: team_id,
                    name: team_alias,
                    people,
                    isBlocked: state === 'blocked',
                    claim: byTeam.get(team_id),
                  }),
                )
              return (
                <>
                  <TeamChoice rows={rows} isFiltered={wanted !== null} onMade={onMade} />
                  <MoreButton more={more}>Show more teams</MoreButton>
                </>
              )
            }}
          </Loaded>
        )}
      </Loaded>
    </>
  )
}

function TeamChoice({
  rows,
  isFiltered,
  onMade,
}: {
  readonly rows: readonly ChosenRow[]
  readonly isFiltered: boolean
  readonly onMade: (made: readonly MadeClaim[]) => void
}) {
  const free = rows.filter(({ claim, isBlocked }) => claim === undefined && !isBlocked)
  // Manual choices. Default: all teams without an active code. Teams without people are left out, because their code would need extra seats.
  const [ticked, setTicked] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [isAsking, setAsking] = useState(false)
  const chosen = rows.filter(
    row => ticked.get(row.id) ?? (row.people > 0 && row.claim === undefined && !row.isBlocked),
  )
  const [renewed, setRenewed] = useState<ClaimRecord | null>(null)
  if (rows.length === 0)
    return (
      <Card>
        <Empty action={<Link to="/console/teams">Go to teams</Link>}>
          {isFiltered ? 'None of these teams exist.' : 'No teams yet. Create or import teams first.'}
        </Empty>
      </Card>
    )
  return (
    <>
      <Card
        isFlush
        title="One sheet per team"
        note={`${countOf(free.length, 'team has', 'teams have')} no active code`}
        action={
          <Button disabled={chosen.length === 0} onClick={() => setAsking(true)}>
            Create {countOf(chosen.length, 'sheet')}…
          </Button>
        }
      >
        <p className="muted small handouts-note">
          Each sheet has a new claim code, which members exchange for their own keys. Teams with an active
          code keep it; a new sheet for them needs a new code.
        </p>
        <DataTable
          isWhole
          caption="Teams and their codes"
          columns={[
            {
              id: 'sheet',
              head: <span className="hidden-text">Sheet</span>,
              cell: ({ id, claim, isBlocked }) => (
                <input
                  type="checkbox"
                  aria-label={`Sheet for ${id}`}
                  disabled={claim !== undefined || isBlocked}
                  checked={chosen.some(each => each.id === id)}
                  onChange={event => {
                    const isOn = event.currentTarget.checked
                    setTicked(now => new Map(now).set(id, isOn))
                  }}
                />
              ),
            },
            ...columns,
          ]}
          rows={rows}
          idOf={({ id }) => id}
          actions={({ id, claim }) =>
            claim === undefined ? null : (
              <Button
                size="compact-xs"
                variant="subtle"
                aria-label={`New sheet for ${id}`}
                onClick={() => setRenewed(claim)}
              >
                New sheet…
              </Button>
            )
          }
        />
      </Card>
      {isAsking ? (
        <MakeCodes
          title={`Create ${countOf(chosen.length, 'sheet')}`}
          verb={`Create ${countOf(chosen.length, 'code')}`}
          {...words}
          path="/claims"
          body={{ teams: chosen.map(({ id }) => id) }}
          onDone={reply => onMade((reply as MadeClaims).items)}
          onClose={() => setAsking(false)}
        />
      ) : null}
      {renewed === null ? null : (
        <MakeCodes
          title="New sheet with a new code"
          verb="Renew code"
          {...words}
          path={`/claims/${encodeURIComponent(renewed.claim_id)}/renew`}
          body={{}}
          onDone={reply => onMade([reply as MadeClaim])}
          onClose={() => setRenewed(null)}
        />
      )}
    </>
  )
}

const columns: readonly Column<ChosenRow>[] = [
  {
    id: 'team',
    head: 'Team',
    cell: ({ name }) => (
      <span className="strong">
        <ForeignName name={name} />
      </span>
    ),
  },
  { id: 'people', head: 'People', isEnd: true, from: 600, cell: ({ people }) => people },
  {
    id: 'code',
    head: 'Code',
    cell: ({ isBlocked, claim }) =>
      isBlocked ? (
        <Badge tone="bad">team blocked</Badge>
      ) : claim === undefined ? (
        <span className="muted">none</span>
      ) : (
        <Badge tone="ok">…{claim.code_name}</Badge>
      ),
  },
  {
    id: 'until',
    head: 'Expires',
    from: 768,
    cell: ({ claim }) => <Moment at={claim?.expires_at ?? null} />,
  },
]
