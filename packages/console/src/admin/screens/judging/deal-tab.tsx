// The deal: what dealing now would change, and the matrix of judges and teams.
import type { JudgeItem } from '@fairgate/contracts/judging/panel.ts'
import type { JudgementList, JudgementRow } from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { RequestFailure } from '../../../api/request.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { Card } from '../../../show/card.tsx'
import { type Preview, sendPlanned } from '../../../show/send-planned.ts'
import { Empty, Loaded } from '../../../show/states.tsx'
import { DealMatrix } from './deal-matrix.tsx'
import { readTeams, TeamChange } from './judge-dialogs.tsx'
import { useJudgedTeams } from './use-judged-teams.ts'

const request = { method: 'POST', path: '/judging/deal', body: {} } as const

export function DealTab({
  judges,
  setup,
}: {
  readonly judges: readonly JudgeItem[]
  readonly setup: JudgingSetup | null
}) {
  const { send } = usePageParts()
  const [isDealing, setDealing] = useState(false)
  const teams = useJudgedTeams(setup)
  const judgements = useRead(readOf<JudgementList>('/judging/judgements'))
  const isReady = setup !== null && judges.some(({ absent }) => !absent)
  // A dry run changes nothing, so it can be read like a list. It follows from the set-up, the judges and the teams.
  const preview = useQuery<Preview, RequestFailure>({
    queryKey: [
      '/judging/deal',
      setup,
      judges.map(({ judge_id, absent, minutes, conflicts }) => [judge_id, absent, minutes, conflicts.length]),
    ],
    queryFn: ({ signal }) => sendPlanned<Preview>(send, request, { dry_run: true }, signal),
    enabled: isReady,
  })
  if (!isReady)
    return (
      <Card isFlush>
        <Empty
          action={
            <Link to="/console/judging" search={{ tab: setup === null ? 'setup' : 'panel' }}>
              {setup === null ? 'Write the set-up' : 'Add judges'}
            </Link>
          }
        >
          {setup === null
            ? 'There is no set-up yet. It says how many judges each team gets.'
            : 'There are no judges yet.'}
        </Empty>
      </Card>
    )
  const changes = preview.data?.changes ?? []
  const warnings = preview.data?.warnings ?? []
  return (
    <>
      <Card
        title="Deal"
        note="which judges get which teams; it follows from the seed, so the same input gives the same deal"
        action={
          <Button disabled={changes.length === 0} onClick={() => setDealing(true)}>
            Deal…
          </Button>
        }
      >
        <Loaded read={preview} what="The dry run" height={40}>
          {() => (
            <div className="stack-tight" aria-live="polite" data-deal-preview>
              <p>
                {changes.length === 0
                  ? 'Dealing now would change nothing.'
                  : `Dealing now would change the teams of ${countOf(changes.length, 'judge')}. Teams that a judge has begun stay with that judge.`}
              </p>
              {warnings.map(warning => (
                <p key={warning} className="tone-warn">
                  {warning}
                </p>
              ))}
            </div>
          )}
        </Loaded>
      </Card>
      <Loaded read={teams} what="The teams" height={300}>
        {() => (
          <DealMatrix
            judges={judges}
            teams={teams.rows}
            setup={setup}
            judgements={keyRows(judgements.data?.items ?? [])}
            proposed={new Map(changes.map(({ subject, to }) => [subject, readTeams(to)]))}
          />
        )}
      </Loaded>
      {isDealing ? (
        <ActionDialog
          title="Deal the teams"
          request={request}
          verb="Deal"
          asksReason={false}
          describe={({ what, subject, from, to }) => (
            <TeamChange what={what} judge={subject} from={from} to={to} />
          )}
          undo="Judges see their teams at once."
          onClose={() => setDealing(false)}
        />
      ) : null}
    </>
  )
}

function keyRows(rows: readonly JudgementRow[]): ReadonlyMap<string, JudgementRow> {
  return new Map(rows.map(row => [`${row.judge_id} ${row.team_id}`, row]))
}
