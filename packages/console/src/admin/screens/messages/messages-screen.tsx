// Messages screen: questions from teams, waiting ones first, and announcements.

import type { QuestionList, QuestionRecord } from '@fairgate/contracts/console/questions.ts'
import type { AnnouncementList, AnnouncementRecord } from '@fairgate/contracts/management/announcements.ts'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Megaphone } from 'lucide-react'
import { useState } from 'react'
import { readOf, useRead, useReadPages } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { usePageParts, useRefresh } from '../../../live/live-context.tsx'
import { AskDialog } from '../../../show/ask-dialog.tsx'
import { Badge, type BadgeTone } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { ChoiceChips } from '../../../show/chips.tsx'
import { ForeignBlock, ForeignText } from '../../../show/foreign.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { List } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { MoreButton } from '../../../show/more-button.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { useMayOrganise } from '../../session-context.tsx'
import { AnnounceDialog } from './announce-dialog.tsx'
import { AnswerForm } from './answer-form.tsx'

export function MessagesScreen() {
  const { search, set } = useAddress()
  const mayOrganise = useMayOrganise()
  const waiting = useRead(readOf<QuestionList>('/questions', { state: 'waiting', limit: 1 }), {
    isOff: !mayOrganise,
  })
  useRefresh('messages', [['/questions'], ['/announcements']], 300)
  const shown = mayOrganise ? (search.show ?? 'questions') : 'announcements'
  const tabs = [
    ...(mayOrganise
      ? [
          [
            'questions',
            `Questions${waiting.data === undefined ? '' : ` ${waiting.data.waiting} waiting`}`,
          ] as const,
        ]
      : []),
    ['announcements', 'Announcements'] as const,
  ]
  return (
    <>
      <PageHead title="Messages">
        {mayOrganise ? (
          <IconButton icon={Megaphone} variant="filled" onClick={() => set({ do: 'announce' })}>
            Announce
          </IconButton>
        ) : null}
      </PageHead>
      <nav className="tabs" aria-label="Messages">
        {tabs.map(([name, label]) => (
          <Link
            key={name}
            to="/console/messages"
            search={{ show: name }}
            className="tab"
            data-status={name === shown ? 'active' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      {shown === 'questions' ? <Questions /> : <Announcements />}
      {search.do === 'announce' && mayOrganise ? (
        <AnnounceDialog onClose={() => set({ do: undefined })} />
      ) : null}
    </>
  )
}

const kinds = [
  { value: 'waiting', label: 'Waiting' },
  { value: 'answered', label: 'Answered' },
] as const

function Questions() {
  const [kind, setKind] = useState<(typeof kinds)[number]['value']>('waiting')
  const questions = useReadPages(readOf<QuestionList>('/questions', { state: kind, limit: 50 }))
  return (
    <>
      <div className="row wrap">
        <ChoiceChips choices={kinds} value={kind} onChange={setKind} />
      </div>
      <Loaded read={questions} what="The questions" height={300}>
        {() =>
          questions.rows.length === 0 ? (
            <Card>
              <Empty>
                {kind === 'answered' ? 'No answered questions yet' : 'No questions are waiting for an answer'}
              </Empty>
            </Card>
          ) : (
            <ul className="stack">
              {questions.rows.map(question => (
                <li key={question.question_id}>
                  <Question question={question} />
                </li>
              ))}
              {questions.more === undefined ? null : (
                <li>
                  <MoreButton more={questions.more}>Show more questions</MoreButton>
                </li>
              )}
            </ul>
          )
        }
      </Loaded>
    </>
  )
}

function Question({ question }: { readonly question: QuestionRecord }) {
  const {
    team_id: team,
    team_alias,
    member,
    text,
    page,
    call_id,
    asked_at,
    answer,
    answered_at,
    answered_by,
    audience,
  } = question
  return (
    <Card
      title={
        <span className="row wrap">
          <Link to="/console/teams/$team" params={{ team }}>
            <ForeignText text={team_alias} most={40} />
          </Link>
          {member === null ? null : <ForeignText text={member.name} most={40} className="muted" />}
          {answer === null ? <Badge tone="warn">waiting</Badge> : null}
        </span>
      }
      action={<Moment at={asked_at} as="ago" className="muted small" />}
    >
      <div className="stack">
        <ForeignBlock text={text} />
        {page === null && call_id === null ? null : (
          <p className="small muted">
            {page === null ? '' : <ForeignText text={`Asked on page ${page}. `} most={80} />}
            {call_id === null ? null : (
              <Link to="/console/calls" search={{ call: call_id }}>
                View call
              </Link>
            )}
          </p>
        )}
        {answer === null ? (
          <AnswerForm questionId={question.question_id} team={team_alias} />
        ) : (
          <div className="sunken-box">
            <ForeignBlock text={answer} />
            <span className="small muted">
              <ForeignText text={answered_by ?? ''} most={40} />, <Moment at={answered_at} as="ago" />
              {audience === 'all' ? ', to all teams' : ', to this team'}
            </span>
          </div>
        )}
      </div>
    </Card>
  )
}

const states: Readonly<Record<AnnouncementRecord['state'], readonly [BadgeTone, string]>> = {
  coming: ['info', 'scheduled'],
  shown: ['ok', 'shown'],
  over: ['plain', 'expired'],
  removed: ['plain', 'withdrawn'],
}

function Announcements() {
  const { send } = usePageParts()
  const [ending, setEnding] = useState<AnnouncementRecord | null>(null)
  const list = useReadPages(readOf<AnnouncementList>('/announcements', { past: true, limit: 100 }))
  return (
    <Card>
      <List read={list} rows={list.rows} what="The announcements" height={300} none="No announcements yet">
        {() => (
          <ul className="stack">
            {list.rows.map(row => (
              <Announcement key={row.announcement_id} row={row} onEnd={() => setEnding(row)} />
            ))}
          </ul>
        )}
      </List>
      {ending === null ? null : (
        <AskDialog
          title="Withdraw announcement"
          verb="Withdraw announcement"
          isDanger
          onClose={() => setEnding(null)}
          action={async reason => {
            await send('DELETE', `/announcements/${encodeURIComponent(ending.announcement_id)}`, {
              query: reason === null ? {} : { reason },
            })
            await list.refetch()
          }}
        >
          <p>Teams will no longer see it. It stays in this list and in the audit log.</p>
        </AskDialog>
      )}
    </Card>
  )
}

function Announcement({ row, onEnd }: { readonly row: AnnouncementRecord; readonly onEnd: () => void }) {
  const mayOrganise = useMayOrganise()
  const [tone, word] = states[row.state]
  return (
    <li className="sunken-box">
      <div className="row-between wrap">
        <span className="row wrap">
          <Badge tone={tone}>{word}</Badge>
          <span className="small muted">
            <Moment at={row.from} /> by <ForeignText text={row.created_by} most={40} />, for{' '}
            {row.audience === 'all' ? 'all teams' : countOf(row.audience.length, 'team')}
            {row.read_count === null ? '' : `; read by ${row.read_count} of ${row.shown_to}`}
          </span>
        </span>
        {mayOrganise && (row.state === 'shown' || row.state === 'coming') ? (
          <Button size="compact-xs" variant="default" onClick={onEnd}>
            Withdraw
          </Button>
        ) : null}
      </div>
      <ForeignBlock text={row.text} />
      {row.link === null ? null : <code className="foreign">{row.link}</code>}
    </li>
  )
}
