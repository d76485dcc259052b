// A finished judgement: one's own scores beside those of the other judges who have finished, with differences to talk about.
import type { JudgementReply } from '@fairgate/contracts/judging/scores.ts'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { countOf } from '../../format/number.ts'
import { Badge } from '../../show/badge.tsx'
import { ForeignBlock, ForeignText } from '../../show/foreign.tsx'
import { PageLink } from '../../show/page-link.tsx'
import { entryHref } from '../judge-address.ts'
import { useQueue } from '../queue-context.tsx'
import { formatMean, noScore, readContent, shouldDiscuss, type Written, weighSoFar } from './judgement.ts'
import type { Judgement } from './judgement-context.tsx'
import { ReasonDialog } from './reason-dialog.tsx'

type Side = {
  readonly name: string
  readonly isOwn: boolean
  readonly isPaper: boolean
  readonly written: Written
}

export function OwnAndOthers({
  judgement: { behind, team, criteria, gates },
}: {
  readonly judgement: Judgement
}) {
  const { open, judges_per_team } = useQueue()
  const [isReopening, setReopening] = useState(false)
  const { server } = behind
  if (server === null) return null
  const isUnable = server.own.state === 'unable'
  const sides = sidesOf(server)
  const others = sides.filter(({ isOwn }) => !isOwn)
  return (
    <div className="stack">
      {isUnable ? (
        <p>
          You could not judge this team: <ForeignText text={server.own.reason ?? ''} most={400} />
        </p>
      ) : null}
      <p className="small muted" data-part="others">
        {others.length === 0
          ? judges_per_team > 1
            ? 'No other judge has finished this team yet. Their scores appear here.'
            : 'You are the only judge of this team.'
          : `${countOf(others.length, 'other judge')} of this team ${others.length === 1 ? 'has' : 'have'} finished.`}
      </p>
      {criteria.map(({ id, name, max }) => {
        const scores = sides.map(({ written }) => (written.scores[id] ?? noScore).score)
        return (
          <section key={id} className="compared" aria-label={name}>
            <div className="row-between wrap">
              <h3>
                <ForeignText text={name} most={80} /> <span className="small muted">0 to {max}</span>
              </h3>
              {shouldDiscuss(max, scores) ? <Badge tone="warn">to discuss</Badge> : null}
            </div>
            <ul className="stack-tight">
              {sides.map(side => (
                <ScoreOf key={side.name} side={side} id={id} team={team} />
              ))}
            </ul>
          </section>
        )
      })}
      {gates.map(({ id, name }) => {
        const answers = sides.map(({ written }) => written.gates[id] ?? null)
        const differ = new Set(answers.filter(answer => answer !== null)).size > 1
        return (
          <section key={id} className="compared" aria-label={name}>
            <div className="row-between wrap">
              <h3>
                <ForeignText text={name} most={80} />
              </h3>
              {differ ? <Badge tone="warn">to discuss</Badge> : null}
            </div>
            <ul className="stack-tight">
              {sides.map((side, index) => (
                <li key={side.name} className="score-of">
                  <span className="strong">
                    {answers[index] === null ? '–' : answers[index] === true ? 'Yes' : 'No'}
                  </span>
                  <Who side={side} />
                </li>
              ))}
            </ul>
          </section>
        )
      })}
      <section className="compared" aria-label="Mean">
        <h3>Mean</h3>
        <ul className="stack-tight">
          {sides.map(side => (
            <li key={side.name} className="score-of score-of-mean">
              <span className="strong">{formatMean(weighSoFar(criteria, side.written))}</span>
              <Who side={side} />
            </li>
          ))}
        </ul>
      </section>
      <Said
        title="Your comment for the team"
        sides={sides.filter(({ isOwn }) => isOwn)}
        member="commentTeam"
      />
      <Said title="Comments for colleagues" sides={sides} member="commentJudges" />
      <div className="row-between wrap">
        <span className="small muted">{isUnable ? '' : 'Your scores are final.'}</span>
        <Button variant="default" disabled={!open} onClick={() => setReopening(true)}>
          Reopen…
        </Button>
      </div>
      {isReopening ? <ReasonDialog kind="reopen" team={team} onClose={() => setReopening(false)} /> : null}
    </div>
  )
}

/** One's own first. What was given up has no scores that count. */
function sidesOf({ own, others }: JudgementReply): Side[] {
  return [
    ...(own.state === 'done'
      ? [{ name: 'You', isOwn: true, isPaper: own.paper, written: readContent(own) }]
      : []),
    ...(others ?? []).map(({ judge, paper, ...content }) => ({
      name: judge,
      isOwn: false,
      isPaper: paper,
      written: readContent(content),
    })),
  ]
}

function Who({ side: { name, isOwn, isPaper } }: { readonly side: Side }) {
  return (
    <span className={isOwn ? '' : 'muted'}>
      <ForeignText text={name} most={40} />
      {isPaper ? ' (from paper)' : ''}
    </span>
  )
}

function ScoreOf({ side, id, team }: { readonly side: Side; readonly id: string; readonly team: string }) {
  const { score, why, cites } = side.written.scores[id] ?? noScore
  return (
    <li className="score-of">
      <span className="strong">{score ?? '–'}</span>
      <div className="grow">
        <Who side={side} />
        {why === '' ? null : <ForeignBlock text={why} most={2000} />}
        {cites.length === 0 ? null : (
          <span className="row wrap small">
            {cites.map(seq => (
              <PageLink key={seq} href={entryHref(team, seq)}>
                <span className="hidden-text">Entry </span>#{seq}
              </PageLink>
            ))}
          </span>
        )}
      </div>
    </li>
  )
}

function Said({
  title,
  sides,
  member,
}: {
  readonly title: string
  readonly sides: readonly Side[]
  readonly member: 'commentTeam' | 'commentJudges'
}) {
  const said = sides.filter(({ written }) => written[member] !== '')
  if (said.length === 0) return null
  return (
    <section className="compared" aria-label={title}>
      <h3>{title}</h3>
      <ul className="stack-tight">
        {said.map(side => (
          <li key={side.name}>
            {member === 'commentJudges' ? <Who side={side} /> : null}
            <ForeignBlock text={side.written[member]} most={8000} />
          </li>
        ))}
      </ul>
    </section>
  )
}
