// Cases: questions to teams about entries and calls, their answers, decisions and appeals. Each step is another person's.
import type { CaseItem, DecideCaseBody, NewCaseBody } from '@fairgate/contracts/judging/cases.ts'
import { Button, Select, Textarea } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { readOf, useAction, useRead } from '../../../api/use-read.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { Decided, Said } from '../../../show/case-steps.tsx'
import { ForeignBlock } from '../../../show/foreign.tsx'
import { FormDialog, faultOf } from '../../../show/form-dialog.tsx'
import { Moment } from '../../../show/moment.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { useMayRead } from '../../session-context.tsx'
import { readWholeOrNone } from '../team/read-fields.ts'
import { TeamLink, useNamedTeams } from '../teams/team-link.tsx'

const path = '/cases'
const maxCharacters = 8000

export function CasesScreen() {
  const { search, set } = useAddress()
  const mayRead = useMayRead('head_judges')
  const cases = useRead(readOf<{ readonly items: readonly CaseItem[] }>(path), {
    isOff: !mayRead,
    everyMs: 15_000,
  })
  useRefresh('judging', [[path]], 1000)
  return (
    <>
      <PageHead title="Cases">
        {mayRead ? <Button onClick={() => set({ do: 'new' })}>Ask a team…</Button> : null}
      </PageHead>
      {mayRead ? (
        <Loaded read={cases} what="The cases" height={320}>
          {({ items }) =>
            items.length === 0 ? (
              <Card isFlush>
                <Empty>
                  No team was asked anything. A case is a question about entries or calls; it accuses nobody
                  and changes no score.
                </Empty>
              </Card>
            ) : (
              <div className="stack">
                {items.map(one => (
                  <Case key={one.case_id} one={one} />
                ))}
              </div>
            )
          }
        </Loaded>
      ) : (
        <Card isFlush>
          <Empty>Only organisers and head judges can read cases.</Empty>
        </Card>
      )}
      {search.do === 'new' && mayRead ? (
        <NewCase
          team={search.team ?? null}
          cites={search.cites ?? ''}
          onClose={() => set({ do: undefined, team: undefined, cites: undefined })}
        />
      ) : null}
    </>
  )
}

const tones = {
  asked: ['info', 'asked'],
  answered: ['warn', 'to decide'],
  decided: ['info', 'decided'],
  appealed: ['warn', 'appealed'],
  final: ['ok', 'closed'],
} as const

function Case({ one }: { readonly one: CaseItem }) {
  const [isDeciding, setDeciding] = useState(false)
  const [tone, text] = tones[one.state]
  const { answer, decision, appeal, appeal_decision, cites, calls } = one
  const mayDecide = one.state !== 'decided' && one.state !== 'final'
  return (
    <Card
      title={<TeamLink team={one.team_id} />}
      note={
        <>
          <Badge tone={tone}>{text}</Badge> asked by {one.opened_by} <Moment at={one.opened_at} as="ago" />
        </>
      }
      action={
        mayDecide ? (
          <Button size="xs" variant="default" onClick={() => setDeciding(true)}>
            {one.state === 'appealed' ? 'Decide the appeal…' : 'Decide…'}
          </Button>
        ) : null
      }
    >
      <div className="stack">
        <ForeignBlock text={one.question} />
        {cites.length + calls.length === 0 ? null : (
          <span className="row wrap small">
            {cites.map(seq => (
              <Link
                key={seq}
                to="/console/entries/$team/$seq"
                params={{ team: one.team_id, seq: String(seq) }}
              >
                entry {seq}
              </Link>
            ))}
            {calls.map(callId => (
              <Link key={callId} to="/console/calls" search={{ call: callId }}>
                call {callId}
              </Link>
            ))}
          </span>
        )}
        {answer === null ? null : <Said title={answer.late ? 'Answer, late' : 'Answer'} {...answer} />}
        {decision === null ? null : <Decided title="Decision" {...decision} />}
        {appeal === null ? null : <Said title="Appeal" {...appeal} />}
        {appeal_decision === null ? null : <Decided title="Decision on the appeal" {...appeal_decision} />}
        <p className="muted small">{one.next}</p>
      </div>
      {isDeciding ? <Decide one={one} onClose={() => setDeciding(false)} /> : null}
    </Card>
  )
}

function Decide({ one, onClose }: { readonly one: CaseItem; readonly onClose: () => void }) {
  const [decision, setDecision] = useState('')
  const [reason, setReason] = useState('')
  const decide = useAction<DecideCaseBody, CaseItem>({
    method: 'POST',
    path: `${path}/${encodeURIComponent(one.case_id)}/decide`,
    changes: [path],
    done: 'Decided',
  })
  return (
    <FormDialog
      title={one.state === 'appealed' ? 'Decide the appeal' : 'Decide the case'}
      verb="Decide"
      isReady={decision.trim() !== '' && reason.trim() !== ''}
      action={decide}
      note="The team reads both. Scores do not change by this."
      onConfirm={() =>
        decide.mutate({ decision: decision.trim(), reason: reason.trim() }, { onSuccess: onClose })
      }
      onClose={onClose}
    >
      <TextField label="Decision" value={decision} maxLength={1000} onChange={setDecision} required />
      <Textarea
        label="Reason"
        required
        autosize
        minRows={3}
        maxLength={maxCharacters}
        value={reason}
        onChange={event => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  )
}

function NewCase({
  team: given,
  cites: cited,
  onClose,
}: {
  readonly team: string | null
  readonly cites: string
  readonly onClose: () => void
}) {
  const teams = useNamedTeams()
  const [team, setTeam] = useState<string | null>(given)
  const [question, setQuestion] = useState('')
  const [cites, setCites] = useState(cited)
  const [hours, setHours] = useState('24')
  const ask = useAction<NewCaseBody, CaseItem>({
    method: 'POST',
    path,
    changes: [path],
    done: 'Question sent',
  })
  const numbers = cites.split(/[\s,#]+/).filter(part => part !== '')
  const isNumbers = numbers.every(part => /^[1-9]\d{0,14}$/.test(part))
  const span = readWholeOrNone(hours)
  return (
    <FormDialog
      title="Ask a team"
      verb="Send the question"
      size={560}
      isReady={team !== null && question.trim() !== '' && isNumbers && typeof span === 'number'}
      action={ask}
      fields={['cites', 'answer_hours']}
      note="The team sees it on its page at once."
      onConfirm={() =>
        ask.mutate(
          {
            team_id: team ?? '',
            question: question.trim(),
            cites: numbers.map(Number),
            ...(typeof span === 'number' ? { answer_hours: span } : {}),
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <Select
        label="Team"
        required
        searchable
        data={(teams.data?.items ?? []).map(({ team_id, team_alias }) => ({
          value: team_id,
          label: team_alias === '' ? team_id : team_alias,
        }))}
        value={team}
        onChange={setTeam}
      />
      <Textarea
        label="Question"
        required
        autosize
        minRows={3}
        maxLength={maxCharacters}
        value={question}
        onChange={event => setQuestion(event.currentTarget.value)}
      />
      <TextField
        label="Entries"
        description="Numbers of entries of the team that it is about, such as 118, 119"
        value={cites}
        error={faultOf(ask.error, 'cites') ?? (isNumbers ? null : 'Use numbers, separated by commas')}
        onChange={setCites}
      />
      <TextField
        label="Hours to answer"
        value={hours}
        error={faultOf(ask.error, 'answer_hours')}
        onChange={setHours}
      />
    </FormDialog>
  )
}
