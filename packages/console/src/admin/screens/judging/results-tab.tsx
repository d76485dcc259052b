// Results: the ranking with both ways to see it, ties, how each judge scores, judging again, and the way to publication.
import type { ResultsReply, ResultTeam } from '@fairgate/contracts/judging/results.ts'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { Loaded } from '../../../show/states.tsx'
import { useSession } from '../../session-context.tsx'
import { TeamLink } from '../teams/team-link.tsx'
import { PublishCard } from './publish-card.tsx'
import { RejudgeDialog, RejudgingCard } from './rejudging-card.tsx'
import { TieDialog } from './tie-dialog.tsx'

export function ResultsTab() {
  const results = useRead(readOf<ResultsReply>('/judging/results'), { everyMs: 15_000 })
  return (
    <Loaded read={results} what="The results" height={420}>
      {found => <Results results={found} />}
    </Loaded>
  )
}

function Results({ results }: { readonly results: ResultsReply }) {
  const [isRejudging, setRejudging] = useState(false)
  return (
    <>
      <PublishCard results={results} />
      {results.rejudging === null ? null : <RejudgingCard rejudging={results.rejudging} />}
      <OpenTies results={results} />
      <Card
        isFlush
        title="Ranking"
        note={describeNote(results)}
        action={
          <span className="row wrap">
            <Button
              size="xs"
              variant="default"
              component="a"
              href="/console/judging?tab=results"
              onClick={() => print()}
            >
              Print
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={results.rejudging !== null}
              onClick={() => setRejudging(true)}
            >
              Judge again…
            </Button>
          </span>
        }
      >
        <DataTable
          isWhole
          part="results"
          caption="Teams by rank"
          columns={columnsOf(results)}
          rows={results.teams}
          idOf={({ team_id }) => team_id}
        />
      </Card>
      <div className="grid progress-columns">
        <Judges results={results} />
        <Card title="How this comes about">
          <ul className="stack-tight">
            {results.method.map(line => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <Steps results={results} />
        </Card>
      </div>
      {isRejudging ? <RejudgeDialog teams={results.teams} onClose={() => setRejudging(false)} /> : null}
    </>
  )
}

function describeNote({ teams, sampled }: ResultsReply): string {
  const toDiscuss = teams.filter(({ discuss }) => discuss.length > 0).length
  return [
    toDiscuss === 0 ? null : `${countOf(toDiscuss, 'team')} to discuss`,
    sampled ? 'not every judge has judged every team' : null,
  ]
    .filter(part => part !== null)
    .join(', ')
}

const percent = (value: number | null) => (value === null ? '–' : (value * 100).toFixed(1))

const reasons: Readonly<Record<NonNullable<ResultTeam['unranked']>, string>> = {
  not_judged: 'not judged',
  too_few_judgements: 'a single judgement',
  gate: 'a gate',
}
const discussed: Readonly<Record<ResultTeam['discuss'][number], string>> = {
  judges_differ: 'judges differ',
  rankings_differ: 'mean and order differ',
  gate: 'gate disputed',
}

function columnsOf({ sampled, ranking, criteria }: ResultsReply): readonly Column<ResultTeam>[] {
  return [
    {
      id: 'rank',
      head: 'Rank',
      isEnd: true,
      cell: ({ rank, unranked }) =>
        rank === null ? <span className="faint nowrap">{reasons[unranked ?? 'not_judged']}</span> : rank,
    },
    { id: 'team', head: 'Team', cell: ({ team_id }) => <TeamLink team={team_id} /> },
    {
      id: 'mean',
      head: ranking === 'mean' ? 'Mean, decides' : 'Mean',
      isEnd: true,
      cell: ({ mean }) => percent(mean),
    },
    ...(sampled
      ? [
          {
            id: 'adjusted',
            head: ranking === 'adjusted' ? 'Adjusted, decides' : 'Adjusted',
            isEnd: true,
            from: 768,
            cell: ({ adjusted }: ResultTeam) => percent(adjusted),
          } as const,
        ]
      : []),
    {
      id: 'order',
      head: ranking === 'order' ? 'By order, decides' : 'By order',
      isEnd: true,
      from: 768,
      cell: ({ place_by_order }) => place_by_order ?? '–',
    },
    ...criteria.map(
      ({ id, name }): Column<ResultTeam> => ({
        id,
        head: <ForeignText text={name} most={16} />,
        isEnd: true,
        from: 1280,
        cell: ({ criteria: means }) => means[id]?.toFixed(2) ?? '–',
      }),
    ),
    { id: 'judgements', head: 'Judges', isEnd: true, from: 600, cell: ({ judgements }) => judgements },
    {
      id: 'spread',
      head: 'Spread',
      isEnd: true,
      from: 1024,
      cell: ({ spread }) => percent(spread),
    },
    {
      id: 'discuss',
      head: 'To discuss',
      from: 600,
      cell: ({ discuss }) =>
        discuss.map(reason => (
          <Badge key={reason} tone="warn">
            {discussed[reason]}
          </Badge>
        )),
    },
  ]
}

function OpenTies({ results: { open_ties, teams } }: { readonly results: ResultsReply }) {
  const isHeadJudge = useSession().role === 'head_judge'
  const [chosen, setChosen] = useState<readonly string[] | null>(null)
  const names = new Map(teams.map(({ team_id, team }) => [team_id, team]))
  if (open_ties.length === 0) return null
  return (
    <Card title="Ties for the head judge" note="equal after all other steps">
      {open_ties.map(group => (
        <div key={group.join(' ')} className="row-between wrap">
          <span>
            {group.map((teamId, place) => (
              <span key={teamId}>
                {place === 0 ? '' : ', '}
                <ForeignName name={names.get(teamId) ?? teamId} />
              </span>
            ))}
          </span>
          {isHeadJudge ? (
            <Button size="xs" onClick={() => setChosen(group)}>
              Decide…
            </Button>
          ) : (
            <span className="muted">A head judge decides.</span>
          )}
        </div>
      ))}
      {chosen === null ? null : <TieDialog teams={chosen} names={names} onClose={() => setChosen(null)} />}
    </Card>
  )
}

function Steps({ results: { ties, teams, criteria } }: { readonly results: ResultsReply }) {
  if (ties.length === 0) return null
  const names = new Map(teams.map(({ team_id, team }) => [team_id, team]))
  return (
    <>
      <h3>Ties, step by step</h3>
      <ul className="stack-tight">
        {ties.map(({ step, teams: tied, values, reason }) => (
          <li key={`${JSON.stringify(step)} ${tied.join(' ')}`}>
            {step.by === 'criterion'
              ? `By ${criteria.find(({ id }) => id === step.criterion)?.name ?? step.criterion}: `
              : step.by === 'order'
                ? "By the judges' orders: "
                : 'By the head judge: '}
            {tied.map((teamId, place) => (
              <span key={teamId}>
                {place === 0 ? '' : ', '}
                <ForeignName name={names.get(teamId) ?? teamId} /> {values[teamId]?.toFixed(2) ?? '–'}
              </span>
            ))}
            {reason === null ? null : (
              <>
                . <ForeignText text={reason} most={500} />
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

type Profile = ResultsReply['judges'][number]

const signed = (value: number | null) =>
  value === null ? <span className="faint">–</span> : `${value > 0 ? '+' : ''}${(value * 100).toFixed(1)}`

const judgeColumns: readonly Column<Profile>[] = [
  {
    id: 'judge',
    head: 'Judge',
    cell: ({ name }) => (
      <span className="strong">
        <ForeignName name={name} most={28} />
      </span>
    ),
  },
  { id: 'judgements', head: 'Teams', isEnd: true, cell: ({ judgements }) => judgements },
  { id: 'mean', head: 'Mean', isEnd: true, from: 600, cell: ({ mean }) => percent(mean) },
  { id: 'leniency', head: 'Leniency', isEnd: true, cell: ({ leniency }) => signed(leniency) },
  { id: 'spread', head: 'Spread', isEnd: true, from: 768, cell: ({ spread }) => percent(spread) },
  { id: 'drift', head: 'Drift', isEnd: true, cell: ({ drift }) => signed(drift) },
]

function Judges({ results: { judges } }: { readonly results: ResultsReply }) {
  return (
    <Card
      isFlush
      title="Judges"
      note="in hundredths of the scale; drift is the second half of the day against the first"
    >
      <DataTable
        isWhole
        caption="How the judges score"
        columns={judgeColumns}
        rows={judges}
        idOf={({ judge_id }) => judge_id}
      />
    </Card>
  )
}
