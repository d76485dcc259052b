// What judging says to the team: its scores and comments once they are published, and questions about its work with their answers.
import type { OwnCase } from '@fairgate/contracts/judging/cases.ts'
import type { OwnResults } from '@fairgate/contracts/judging/results.ts'
import { Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import { readOf, useAction, useRead } from '../../api/use-read.ts'
import { useRefresh } from '../../live/live-context.tsx'
import { Badge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { Decided, Said } from '../../show/case-steps.tsx'
import { FactList } from '../../show/facts.tsx'
import { FailureNote } from '../../show/failure-note.tsx'
import { ForeignBlock, ForeignText } from '../../show/foreign.tsx'
import { Moment } from '../../show/moment.tsx'
import { Empty, Loaded } from '../../show/states.tsx'
import { useSelf } from '../self-context.tsx'
import { TeamLink } from '../team-link.tsx'

const casesPath = '/self/cases'
const resultsPath = '/self/results'
const maxCharacters = 8000

export function JudgingScreen() {
  const { judging } = useSelf()
  const cases = useRead(readOf<{ readonly items: readonly OwnCase[] }>(casesPath))
  const results = useRead(readOf<OwnResults>(resultsPath))
  useRefresh('self', [[casesPath], [resultsPath]], 1000)
  return (
    <>
      <h1>Judging</h1>
      <div className="team-columns">
        <div className="stack">
          <Loaded read={results} what="Your results" height={200}>
            {found => <Results found={found} />}
          </Loaded>
        </div>
        <div className="stack">
          {judging === null || judging.cases === 0 ? null : (
            <Loaded read={cases} what="Questions to your team" height={200}>
              {({ items }) => items.map(one => <Case key={one.case_id} one={one} />)}
            </Loaded>
          )}
        </div>
      </div>
    </>
  )
}

function Results({
  found: { published_at, team, criteria, comments, corrections },
}: {
  readonly found: OwnResults
}) {
  if (published_at === null)
    return (
      <Card title="Results" isFlush>
        <Empty>The results are not published yet.</Empty>
      </Card>
    )
  return (
    <>
      <Card
        title="Your results"
        note={
          <>
            published <Moment at={published_at} />
          </>
        }
        action={<a href="/results">All results</a>}
      >
        {team === null ? (
          <p className="muted">Your team is not in the results.</p>
        ) : (
          <FactList
            facts={[
              ['Rank', team.rank ?? 'none'],
              ['Score', team.mean === null ? '–' : `${(team.mean * 100).toFixed(1)} of 100`],
              ...criteria.map(({ id, name, max }) => {
                const mean = team.criteria[id] ?? null
                return [name, mean === null ? '–' : `${mean.toFixed(2)} of ${max}`] as const
              }),
              ['Judges', team.judgements],
            ]}
          />
        )}
        {corrections.map(({ number, text, at }) => (
          <div key={number} className="notice wrap">
            <span>
              Correction {number}, <Moment at={at} />: <ForeignText text={text} most={2000} />
            </span>
          </div>
        ))}
      </Card>
      <Card title="From the judges">
        {comments.length === 0 ? (
          <p className="muted">The judges have left no comments.</p>
        ) : (
          <ul className="stack">
            {comments.map((comment, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: comments have no name, and their list does not change
              <li key={place} className="sunken-box">
                <ForeignBlock text={comment} />
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  )
}

const states = {
  asked: ['warn', 'waits for your answer'],
  answered: ['info', 'answered'],
  decided: ['info', 'decided'],
  appealed: ['info', 'appeal is heard'],
  final: ['ok', 'closed'],
} as const

function Case({ one }: { readonly one: OwnCase }) {
  const { state, question, cites, calls, answer, decision, appeal, appeal_decision } = one
  const [tone, text] = states[state]
  return (
    <Card title="A question to your team" note={<Badge tone={tone}>{text}</Badge>}>
      <div className="stack">
        <ForeignBlock text={question} />
        <div className="muted small">
          asked <Moment at={one.opened_at} as="ago" />
          {cites.length === 0
            ? null
            : `, about ${cites.length === 1 ? 'entry' : 'entries'} ${cites.join(', ')} of your log`}
          {calls.map(callId => (
            <span key={callId}>
              , <TeamLink href={`/calls?call=${encodeURIComponent(callId)}`}>call {callId}</TeamLink>
            </span>
          ))}
        </div>
        {answer === null ? null : <Said title="Your answer" text={answer.text} at={answer.at} />}
        {decision === null ? null : <Decided title="Decision" {...decision} />}
        {appeal === null ? null : <Said title="Your appeal" text={appeal.text} at={appeal.at} />}
        {appeal_decision === null ? null : <Decided title="Decision on your appeal" {...appeal_decision} />}
        {one.can_answer ? <Say one={one} step="answer" until={one.answer_until} /> : null}
        {one.can_appeal ? <Say one={one} step="appeal" until={one.appeal_until} /> : null}
      </div>
    </Card>
  )
}

function Say({
  one: { case_id },
  step,
  until,
}: {
  readonly one: OwnCase
  readonly step: 'answer' | 'appeal'
  readonly until: string | null
}) {
  const [text, setText] = useState('')
  const send = useAction<object, OwnCase>({
    method: 'POST',
    path: `${casesPath}/${encodeURIComponent(case_id)}/${step}`,
    changes: [casesPath, '/self'],
    done: step === 'answer' ? 'Answered' : 'Appeal sent',
  })
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        send.mutate({ text: text.trim() })
      }}
    >
      <Textarea
        label={step === 'answer' ? 'Your answer' : 'Your appeal'}
        description={
          <>
            {step === 'answer' ? 'One answer for your team' : 'Once, with what the decision has overlooked'}
            {until === null ? null : (
              <>
                , until <Moment at={until} />
              </>
            )}
          </>
        }
        autosize
        minRows={3}
        maxRows={14}
        maxLength={maxCharacters}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
      />
      <FailureNote text={send.error?.message} />
      <Button type="submit" loading={send.isPending} disabled={text.trim() === ''}>
        {step === 'answer' ? 'Send the answer' : 'Appeal'}
      </Button>
    </form>
  )
}
