// Paper scores: the head judge types a sheet in seconds, by keyboard alone, and sees what was entered.
import type { JudgeItem } from '@fairgate/contracts/judging/panel.ts'
import type { JudgementList, JudgementRow, PaperBody } from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { Button, Textarea } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { readOf, useAction, useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { FailureNote } from '../../../show/failure-note.tsx'
import { ForeignName } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { useMayRead } from '../../session-context.tsx'
import { findJudge, findTeam, isWholeScore, type Match, readGate, readScore } from './read-sheet.ts'
import { type JudgedTeam, useJudgedTeams } from './use-judged-teams.ts'

const maxShown = 8

export function PapersTab({
  judges,
  setup,
}: {
  readonly judges: readonly JudgeItem[]
  readonly setup: JudgingSetup | null
}) {
  const mayEnter = useMayRead('head_judge')
  const teams = useJudgedTeams(setup)
  const judgements = useRead(readOf<JudgementList>('/judging/judgements'))
  if (setup === null)
    return (
      <Card isFlush>
        <Empty>There is no set-up yet.</Empty>
      </Card>
    )
  return (
    <Loaded read={teams} what="The teams" height={300}>
      {() => (
        <Loaded read={judgements} what="The judgements" height={300}>
          {({ items }) => (
            <>
              {mayEnter ? (
                <PaperForm judges={judges} teams={teams.rows} setup={setup} rows={items} />
              ) : (
                <Card isFlush>
                  <Empty>
                    Only the head judge enters paper scores. Make an admin key with the role head_judge for
                    that person, in Settings.
                  </Empty>
                </Card>
              )}
              <Entered rows={items.filter(({ paper }) => paper)} />
            </>
          )}
        </Loaded>
      )}
    </Loaded>
  )
}

/** Texts as typed, by criterion and gate. */
type Typed = { readonly [id: string]: string }
type Sheet = {
  readonly team: string
  readonly judge: string
  readonly scores: Typed
  readonly gates: Typed
  readonly forTeam: string
  readonly forJudges: string
  readonly reason: string
}
const empty: Sheet = { team: '', judge: '', scores: {}, gates: {}, forTeam: '', forJudges: '', reason: '' }

function PaperForm({
  judges,
  teams,
  setup,
  rows,
}: {
  readonly judges: readonly JudgeItem[]
  readonly teams: readonly JudgedTeam[]
  readonly setup: JudgingSetup
  readonly rows: readonly JudgementRow[]
}) {
  const form = useRef<HTMLFormElement>(null)
  const [sheet, setSheet] = useState(empty)
  const [isTried, setTried] = useState(false)
  const [last, setLast] = useState('')
  const set = (changes: Partial<Sheet>) => setSheet({ ...sheet, ...changes })
  const send = useAction<PaperBody, unknown>({
    method: 'POST',
    path: '/judging/papers',
    changes: ['/judging/judgements', '/judging/progress'],
  })
  const team = findTeam(sheet.team, teams)
  const teamId = team.kind === 'one' ? team.item.team_id : null
  const stateOf = (judge: JudgeItem) =>
    rows.find(row => row.judge_id === judge.judge_id && row.team_id === teamId)?.state ?? 'to_read'
  const able = teamId === null ? [] : judges.filter(judge => judge.teams.includes(teamId))
  const judge = findJudge(sheet.judge, able)
  const before = judge.kind === 'one' ? stateOf(judge.item) : 'to_read'
  useEffect(() => focusFirst(form.current), [])
  const gates = setup.gates ?? []
  const scoreFaults = setup.criteria.filter(
    ({ id, max }) => typeof readScore(sheet.scores[id] ?? '', max) !== 'number',
  )
  const gateFaults = gates.filter(({ id }) => typeof readGate(sheet.gates[id] ?? '') !== 'boolean')
  const needsReason = before === 'done' || before === 'unable' || send.error?.param === 'reason'
  const isComplete =
    team.kind === 'one' &&
    judge.kind === 'one' &&
    scoreFaults.length === 0 &&
    gateFaults.length === 0 &&
    (!needsReason || sheet.reason.trim() !== '')
  const save = () => {
    setTried(true)
    if (!isComplete || team.kind !== 'one' || judge.kind !== 'one') {
      focusFirstFault(form.current)
      return
    }
    const { item: found } = team
    const { item: by } = judge
    send.mutate(
      {
        judge_id: by.judge_id,
        team_id: found.team_id,
        scores: Object.fromEntries(
          setup.criteria.map(({ id, max }) => [
            id,
            { score: readScore(sheet.scores[id] ?? '', max) ?? null },
          ]),
        ),
        ...(gates.length === 0
          ? {}
          : {
              gates: Object.fromEntries(gates.map(({ id }) => [id, readGate(sheet.gates[id] ?? '') ?? null])),
            }),
        ...(sheet.forTeam.trim() === '' ? {} : { comment_team: sheet.forTeam.trim() }),
        ...(sheet.forJudges.trim() === '' ? {} : { comment_judges: sheet.forJudges.trim() }),
        ...(sheet.reason.trim() === '' ? {} : { reason: sheet.reason.trim() }),
      },
      {
        onSuccess: () => {
          setLast(`Saved: ${by.name} on ${found.name}.`)
          setSheet(empty)
          setTried(false)
          focusFirst(form.current)
        },
        onError: () => focusFirstFault(form.current),
      },
    )
  }
  // Names that could not be read are a fault at once after Enter, the rest when the sheet is saved.
  const explain = (match: Match<unknown>, typed: string, none: string) =>
    match.kind === 'one' || (typed === '' && !isTried)
      ? null
      : match.kind === 'none'
        ? none
        : isTried
          ? 'More than one fits: type more of the name.'
          : null
  return (
    <Card title="Enter a sheet" note="Enter goes to the next field, and saves at the end">
      <form
        ref={form}
        className="stack paper"
        data-paper
        onSubmit={event => {
          event.preventDefault()
          save()
        }}
      >
        <div className="pair">
          <div className="stack-tight">
            <TextField
              label="Team"
              description="Its number, or the beginning of its name"
              data-field="team"
              value={sheet.team}
              error={explain(team, sheet.team, 'No team has this number or name.')}
              onChange={text => set({ team: text, judge: '' })}
              onKeyDown={event => {
                if (team.kind === 'one') goOn(event)
                else stay(event)
              }}
            />
            <Candidates
              match={team}
              typed={sheet.team}
              show={item => (
                <>
                  {item.number === null ? null : <span className="faint">{item.number} </span>}
                  <ForeignName name={item.name} />
                </>
              )}
              choose={item => set({ team: item.team_id, judge: '' })}
              idOf={item => item.team_id}
            />
          </div>
          <div className="stack-tight">
            <TextField
              label="Judge"
              description="The beginning of a name"
              data-field="judge"
              value={sheet.judge}
              disabled={teamId === null}
              error={
                teamId === null ? null : explain(judge, sheet.judge, 'No judge of this team has this name.')
              }
              onChange={text => set({ judge: text })}
              onKeyDown={event => {
                if (judge.kind === 'one') goOn(event)
                else stay(event)
              }}
            />
            <Candidates
              match={judge}
              typed={teamId ?? ''}
              show={item => (
                <>
                  <ForeignName name={item.name} />{' '}
                  <span className="faint small">{stateOf(item).replace('_', ' ')}</span>
                </>
              )}
              choose={item => set({ judge: item.name })}
              idOf={item => item.judge_id}
            />
          </div>
        </div>
        <div className="paper-scores">
          {setup.criteria.map(({ id, name, max }) => {
            const text = sheet.scores[id] ?? ''
            const score = readScore(text, max)
            return (
              <TextField
                key={id}
                label={name}
                description={`0 to ${max}`}
                data-field={id}
                inputMode="numeric"
                maxLength={3}
                value={text}
                error={score === undefined || (isTried && score === null) ? `Enter 0 to ${max}` : null}
                onChange={next => {
                  set({ scores: { ...sheet.scores, [id]: next } })
                  if (isWholeScore(next, max)) focusNext(form.current, id)
                }}
                onFocus={event => event.currentTarget.select()}
                onKeyDown={score === undefined ? stay : goOn}
              />
            )
          })}
          {gates.map(({ id, name }) => {
            const text = sheet.gates[id] ?? ''
            const passed = readGate(text)
            return (
              <TextField
                key={id}
                label={name}
                description={passed === true ? 'yes' : passed === false ? 'no' : 'y or n'}
                data-field={id}
                maxLength={3}
                value={text}
                error={passed === undefined || (isTried && passed === null) ? 'Enter y or n' : null}
                onChange={next => {
                  set({ gates: { ...sheet.gates, [id]: next } })
                  if (typeof readGate(next) === 'boolean') focusNext(form.current, id)
                }}
                onFocus={event => event.currentTarget.select()}
                onKeyDown={passed === undefined ? stay : goOn}
              />
            )
          })}
        </div>
        {needsReason ? (
          <TextField
            label="Reason"
            description="This judge has already written about the team. Why does paper replace it?"
            data-field="reason"
            value={sheet.reason}
            maxLength={200}
            error={isTried && sheet.reason.trim() === '' ? 'Give a reason' : null}
            onChange={reason => set({ reason })}
            onKeyDown={goOn}
          />
        ) : null}
        <div className="row wrap">
          <Button type="submit" data-field="save" loading={send.isPending}>
            Save the sheet
          </Button>
          <span className="muted small" role="status" data-saved>
            {last}
          </span>
        </div>
        <FailureNote text={send.error?.message} />
        <div className="pair">
          <Textarea
            label="Comment for the team"
            autosize
            minRows={1}
            maxRows={6}
            maxLength={8000}
            value={sheet.forTeam}
            onChange={event => set({ forTeam: event.currentTarget.value })}
          />
          <Textarea
            label="Comment for the other judges"
            autosize
            minRows={1}
            maxRows={6}
            maxLength={8000}
            value={sheet.forJudges}
            onChange={event => set({ forJudges: event.currentTarget.value })}
          />
        </div>
      </form>
    </Card>
  )
}

/** The found name, or those that fit, to press. */
function Candidates<Item>({
  match,
  typed,
  show,
  choose,
  idOf,
}: {
  readonly match: Match<Item>
  readonly typed: string
  readonly show: (item: Item) => React.ReactNode
  readonly choose: (item: Item) => void
  readonly idOf: (item: Item) => string
}) {
  if (typed === '' || match.kind === 'none') return null
  if (match.kind === 'one')
    return (
      <span className="row small" data-found>
        <Badge tone="ok">{show(match.item)}</Badge>
      </span>
    )
  return (
    <span className="row wrap small">
      {match.items.slice(0, maxShown).map(item => (
        <button type="button" key={idOf(item)} className="chip" tabIndex={-1} onClick={() => choose(item)}>
          {show(item)}
        </button>
      ))}
      {match.items.length > maxShown ? (
        <span className="muted">and {match.items.length - maxShown} more</span>
      ) : null}
    </span>
  )
}

/** Enter moves on like Tab: a sheet is typed without looking at the screen. */
function goOn(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'Enter') return
  event.preventDefault()
  focusNext(event.currentTarget.form, event.currentTarget.dataset.field ?? '')
}

function stay(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key === 'Enter') event.preventDefault()
}

function focusNext(form: HTMLFormElement | null, field: string): void {
  const fields = [...(form?.querySelectorAll<HTMLElement>('[data-field]') ?? [])]
  fields[fields.findIndex(each => each.dataset.field === field) + 1]?.focus()
}

function focusFirst(form: HTMLFormElement | null): void {
  setTimeout(() => form?.querySelector<HTMLElement>('[data-field]')?.focus())
}

function focusFirstFault(form: HTMLFormElement | null): void {
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), 50)
}

function Entered({ rows }: { readonly rows: readonly JudgementRow[] }) {
  if (rows.length === 0) return null
  return (
    <Card isFlush title="Entered from paper" note={countOf(rows.length, 'sheet')}>
      <DataTable
        isWhole
        caption="Sheets entered from paper, newest first"
        columns={columns}
        rows={rows.toSorted((one, other) => ((one.at ?? '') < (other.at ?? '') ? 1 : -1))}
        idOf={({ judge_id, team_id }) => `${judge_id} ${team_id}`}
      />
    </Card>
  )
}

const columns: readonly Column<JudgementRow>[] = [
  { id: 'team', head: 'Team', cell: ({ team }) => <ForeignName name={team} most={32} /> },
  { id: 'judge', head: 'Judge', cell: ({ judge }) => <ForeignName name={judge} most={32} /> },
  {
    id: 'scores',
    head: 'Scores',
    cell: ({ scores }) =>
      Object.values(scores)
        .map(({ score }) => score ?? '–')
        .join(' · '),
  },
  {
    id: 'by',
    head: 'Entered by',
    from: 768,
    cell: ({ entered_by }) => <ForeignName name={entered_by ?? '–'} most={24} />,
  },
  { id: 'at', head: 'When', from: 600, cell: ({ at }) => <Moment at={at} as="ago" /> },
]
