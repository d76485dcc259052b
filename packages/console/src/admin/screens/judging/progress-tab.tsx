// How far judging is: to whom to talk first, then every judge and every team.
import type { JudgeItem } from '@fairgate/contracts/judging/panel.ts'
import type { ProgressReply } from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { countOf, formatCount } from '../../../format/number.ts'
import { formatDuration, formatLeft } from '../../../format/time.ts'
import { useServerNow } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { UseBar } from '../../../show/bars.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { ForeignName } from '../../../show/foreign.tsx'
import { LightSign } from '../../../show/light-sign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Empty, Loaded, type Shown } from '../../../show/states.tsx'
import { TeamLink } from '../teams/team-link.tsx'
import { ReplaceDialog } from './judge-dialogs.tsx'
import { showNumbers } from './use-judged-teams.ts'
import { countLeft, type JudgeProgress, listTalks, type Talk } from './whom-to-talk-to.ts'

type TeamProgress = ProgressReply['teams'][number]

export function ProgressTab({
  judges,
  setup,
  progress,
}: {
  readonly judges: readonly JudgeItem[]
  readonly setup: JudgingSetup | null
  readonly progress: Shown<ProgressReply>
}) {
  const [replaced, setReplaced] = useState<JudgeItem | null>(null)
  const replace = (id: string) => setReplaced(judges.find(({ judge_id }) => judge_id === id) ?? null)
  return (
    <Loaded read={progress} what="The progress" height={300}>
      {reply =>
        reply.assigned === 0 ? (
          <Card isFlush>
            <Empty
              action={
                <Link to="/console/judging" search={{ tab: 'deal' }}>
                  Go to the deal
                </Link>
              }
            >
              No teams are dealt to judges yet.
            </Empty>
          </Card>
        ) : (
          <>
            <Sums reply={reply} setup={setup} />
            <Talks judges={reply.judges} replace={replace} />
            <div className="grid progress-columns">
              <Card isFlush title="Judges">
                <DataTable
                  isWhole
                  caption="Judges and how far they are"
                  columns={judgeColumns}
                  rows={reply.judges}
                  idOf={({ judge_id }) => judge_id}
                />
              </Card>
              <Card isFlush title="Teams" note="those that lack most judgements first">
                <DataTable
                  isWhole
                  caption="Teams and their judgements"
                  columns={teamColumns}
                  rows={showNumbers(reply.teams, setup).toSorted(
                    (one, other) => countLack(other) - countLack(one),
                  )}
                  idOf={({ team_id }) => team_id}
                />
              </Card>
            </div>
            {replaced === null ? null : <ReplaceDialog judge={replaced} onClose={() => setReplaced(null)} />}
          </>
        )
      }
    </Loaded>
  )
}

function countLack({ wanted, done }: TeamProgress): number {
  return Math.max(0, wanted - done)
}

function Sums({ reply, setup }: { readonly reply: ProgressReply; readonly setup: JudgingSetup | null }) {
  const now = useServerNow(10_000)
  const present = reply.judges.filter(({ absent, assigned }) => !absent && assigned > 0)
  const ready = present.filter(judge => countLeft(judge) === 0)
  const closes = setup?.closes_at ?? null
  const left = closes === null ? null : Date.parse(closes) - now
  return (
    <section className="card card-body progress-sums" aria-label="Progress in sum">
      <Sum name="Judgements done" value={`${formatCount(reply.done)} of ${formatCount(reply.assigned)}`}>
        <UseBar
          used={reply.done}
          held={reply.begun}
          limit={reply.assigned}
          tone="normal"
          label={`${reply.done} of ${reply.assigned} judgements done, ${reply.begun} begun`}
        />
      </Sum>
      <Sum name="Begun" value={formatCount(reply.begun)}>
        not finished yet
      </Sum>
      <Sum name="Could not judge" value={formatCount(reply.unable)}>
        with a reason
      </Sum>
      <Sum name="Judges ready" value={`${ready.length} of ${present.length}`}>
        {countOf(ready.filter(({ ordered }) => ordered).length, 'has', 'have')} put their teams in order
      </Sum>
      <Sum name="Time left" value={left === null ? '–' : left <= 0 ? 'over' : formatLeft(left)}>
        {closes === null ? (
          'scores have no end'
        ) : (
          <>
            scores until <Moment at={closes} />
          </>
        )}
      </Sum>
    </section>
  )
}

function Sum({
  name,
  value,
  children,
}: {
  readonly name: string
  readonly value: string
  readonly children: ReactNode
}) {
  return (
    <div className="stack-tight">
      <div className="muted small">{name}</div>
      <div className="figure nowrap">{value}</div>
      <div className="muted small">{children}</div>
    </div>
  )
}

const maxTalks = 6

function Talks({
  judges,
  replace,
}: {
  readonly judges: readonly JudgeProgress[]
  readonly replace: (judgeId: string) => void
}) {
  const now = useServerNow(30_000)
  const [isWhole, setWhole] = useState(false)
  const talks = listTalks(judges, now)
  return (
    <Card title="Talk to first">
      {talks.length === 0 ? (
        <p className="muted">No one needs a word right now.</p>
      ) : (
        <>
          <ul className="talks" data-talks>
            {(isWhole ? talks : talks.slice(0, maxTalks)).map(talk => (
              <li key={talk.judge.judge_id} className="talk-to">
                <LightSign tone={talk.kind === 'not ordered' ? 'none' : 'warn'} label="" />
                <span className="grow">
                  <span className="strong">
                    <ForeignName name={talk.judge.name} />
                  </span>{' '}
                  <span className="muted">{describeTalk(talk, now)}</span>
                </span>
                {talk.kind === 'not ordered' ? null : (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Replace ${talk.judge.name}`}
                    onClick={() => replace(talk.judge.judge_id)}
                  >
                    Replace…
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {talks.length > maxTalks ? (
            <Button variant="subtle" size="compact-xs" onClick={() => setWhole(!isWhole)}>
              {isWhole ? 'Show fewer' : `Show ${talks.length - maxTalks} more`}
            </Button>
          ) : null}
        </>
      )}
    </Card>
  )
}

function describeTalk({ kind, left, judge }: Talk, now: number): string {
  const teams = countOf(left, 'team')
  if (kind === 'not signed in') return `has not signed in yet, ${teams} to read`
  if (kind === 'not begun') return `has signed in but not begun, ${teams} to read`
  if (kind === 'not ordered') return 'has judged all teams, and has not put them in order'
  const last = Date.parse(judge.last_at ?? judge.seen_at ?? '')
  return `has saved nothing for ${formatDuration(Math.floor((now - last) / 60_000) * 60_000)}, ${teams} left`
}

const judgeColumns: readonly Column<JudgeProgress>[] = [
  {
    id: 'judge',
    head: 'Judge',
    cell: ({ name, absent }) => (
      <span className="judge-cell">
        <span className="strong">
          <ForeignName name={name} most={28} />
        </span>
        {absent ? <Badge tone="warn">absent</Badge> : null}
      </span>
    ),
  },
  {
    id: 'done',
    head: 'Done',
    cell: judge => (
      <Share done={judge.done} begun={judge.begun} all={judge.assigned - judge.unable} name={judge.name} />
    ),
  },
  {
    id: 'unable',
    head: 'Unable',
    isEnd: true,
    from: 1440,
    cell: ({ unable }) => (unable === 0 ? <span className="faint">–</span> : unable),
  },
  {
    id: 'order',
    head: 'Order',
    from: 600,
    cell: judge =>
      judge.ordered ? (
        <Badge tone="ok">given</Badge>
      ) : (
        <span className="faint">{countLeft(judge) === 0 && judge.done > 1 ? 'missing' : '–'}</span>
      ),
  },
  {
    id: 'last',
    head: 'Last saved',
    from: 768,
    cell: ({ last_at, seen_at }) =>
      last_at === null && seen_at === null ? (
        <span className="faint nowrap">not signed in</span>
      ) : (
        <Moment at={last_at} as="ago" none="nothing yet" />
      ),
  },
]

const teamColumns: readonly Column<TeamProgress>[] = [
  {
    id: 'team',
    head: 'Team',
    cell: ({ team_id, number }) => (
      <span className="judge-cell">
        {number === null ? null : <span className="faint">{number}</span>}
        <TeamLink team={team_id} />
      </span>
    ),
  },
  {
    id: 'done',
    head: 'Done',
    cell: ({ done, begun, wanted, name }) => <Share done={done} begun={begun} all={wanted} name={name} />,
  },
  {
    id: 'assigned',
    head: 'Judges',
    isEnd: true,
    from: 600,
    cell: ({ assigned, wanted, unable }) =>
      assigned - unable < wanted ? (
        <span className="tone-warn strong">
          {assigned - unable} of {wanted}
        </span>
      ) : (
        assigned - unable
      ),
  },
]

function Share({
  done,
  begun,
  all,
  name,
}: {
  readonly done: number
  readonly begun: number
  readonly all: number
  readonly name: string
}) {
  return (
    <span className="progress-share">
      <span className="nowrap">
        {done} <span className="muted">of {all}</span>
      </span>
      <UseBar
        used={done}
        held={begun}
        limit={Math.max(1, all)}
        tone="normal"
        height={6}
        label={`${name}: ${done} of ${all} done, ${begun} begun`}
      />
    </span>
  )
}
