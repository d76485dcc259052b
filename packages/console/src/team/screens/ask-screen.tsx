// Announcements from the organisers, the team's questions, and a form to ask another.

import type { OwnQuestionReply, OwnQuestions } from '@fairgate/contracts/console/questions.ts'
import { Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import { readOf, useAction, useReadPages } from '../../api/use-read.ts'
import { useRefresh } from '../../live/live-context.tsx'
import { Badge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { FailureNote } from '../../show/failure-note.tsx'
import { ForeignBlock } from '../../show/foreign.tsx'
import { List } from '../../show/list.tsx'
import { Moment } from '../../show/moment.tsx'
import { Empty } from '../../show/states.tsx'
import { useSelf } from '../self-context.tsx'
import { useTeamSearch } from '../team-link.tsx'

const maxCharacters = 1000

export function AskScreen() {
  const { announcements } = useSelf()
  const questions = useReadPages(readOf<OwnQuestions>('/self/questions'))
  useRefresh('self', [['/self/questions']], 500)
  return (
    <>
      <h1>Questions</h1>
      <div className="team-columns">
        <div className="stack">
          <AskForm />
          <Card title="Your questions">
            <List
              read={questions}
              rows={questions.rows}
              what="Your questions"
              height={160}
              none="No questions yet."
            >
              {() => (
                <ul className="stack">
                  {questions.rows.map(question => (
                    <Question key={question.question_id} question={question} />
                  ))}
                </ul>
              )}
            </List>
          </Card>
        </div>
        <Card title="From the organisers">
          {announcements.length === 0 ? (
            <Empty>No announcements yet.</Empty>
          ) : (
            <ul className="stack">
              {announcements.map(({ announcement_id, text, from }) => (
                <li key={announcement_id}>
                  <ForeignBlock text={text} />
                  <div className="muted small">
                    <Moment at={from} as="ago" />
                  </div>
                </li>
              ))}
            </ul>
          )}
        </Card>
      </div>
    </>
  )
}

function Question({
  question: { text, answer, asked_at, answered_at, audience },
}: {
  readonly question: OwnQuestions['items'][number]
}) {
  return (
    <li className="sunken-box">
      <div className="row-between wrap">
        <span className="muted small">
          asked <Moment at={asked_at} as="ago" />
        </span>
        {answer === null ? <Badge tone="warn">waiting</Badge> : <Badge tone="ok">answered</Badge>}
      </div>
      <ForeignBlock text={text} />
      {answer === null ? null : (
        <div className="answer">
          <ForeignBlock text={answer} />
          <div className="muted small">
            <Moment at={answered_at} as="ago" />
            {audience === 'all' ? ', sent to all teams' : ''}
          </div>
        </div>
      )}
    </li>
  )
}

function AskForm() {
  const [search, set] = useTeamSearch()
  const [text, setText] = useState('')
  const ask = useAction<object, OwnQuestionReply>({
    method: 'POST',
    path: '/self/questions',
    changes: ['/self/questions', '/self'],
  })
  const send = () =>
    ask.mutate(
      {
        text: text.trim(),
        ...(search.call === undefined ? {} : { context: { page: 'calls', call_id: search.call } }),
      },
      {
        onSuccess: () => {
          setText('')
          set({ call: undefined })
        },
      },
    )
  return (
    <Card title="Ask the organisers">
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          send()
        }}
      >
        {search.call === undefined ? null : (
          <span className="row small">
            About the call <code>{search.call}</code>
          </span>
        )}
        <Textarea
          aria-label="Your question"
          placeholder="May we …?"
          autosize
          minRows={3}
          maxLength={maxCharacters}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
        />
        <FailureNote text={ask.error?.message} />
        <div className="row-between">
          <span className="small muted">The answer will appear here.</span>
          <Button type="submit" loading={ask.isPending} disabled={text.trim() === ''}>
            Ask
          </Button>
        </div>
      </form>
    </Card>
  )
}
