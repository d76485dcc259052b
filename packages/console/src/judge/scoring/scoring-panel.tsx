// The judge's scores of one team: written, finished, given up, and opened again. What is written saves itself.
import { maxComment } from '@fairgate/contracts/judging/scores.ts'
import { Button, Kbd, Textarea } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { formatMoment } from '../../format/time.ts'
import { showKey, useHotkeys } from '../../frame/hotkeys.tsx'
import { useServerNow } from '../../live/live-context.tsx'
import { Card } from '../../show/card.tsx'
import { ForeignName } from '../../show/foreign.tsx'
import { Empty, Waiting } from '../../show/states.tsx'
import { useToast } from '../../show/toaster.tsx'
import { useZone } from '../../show/zone-context.tsx'
import { startHref, teamHref } from '../judge-address.ts'
import { isRead, useQueue, useTeamName } from '../queue-context.tsx'
import { CriterionField, GateField } from './criterion-field.tsx'
import { changeScore, findMissing, formatMean, tooLong, weighSoFar } from './judgement.ts'
import { type Judgement, useJudgement } from './judgement-context.tsx'
import { OwnAndOthers } from './own-and-others.tsx'
import { ReasonDialog } from './reason-dialog.tsx'
import { SaveLine } from './save-line.tsx'
import { isFrozen, isUnsaved, otherDeviceMs } from './write-behind.ts'

/** Within this time, 1 and 0 make 10. */
const sequenceMs = 1200

/** Inside of a JudgementProvider. */
export function ScoringPanel({ team }: { readonly team: string }) {
  const judgement = useJudgement()
  const name = useTeamName(team)
  if (judgement === null || judgement.team !== team)
    return (
      <Card title="Your scores" className="scoring">
        <Empty>
          You read <ForeignName name={name} /> without scoring it, because it is not one of your teams.
        </Empty>
      </Card>
    )
  const { behind, store } = judgement
  if (behind.server !== null) return <Scores judgement={judgement} />
  return (
    <Card title="Your scores" className="scoring">
      {behind.trouble?.kind === 'refused' ? (
        <Empty>{behind.trouble.message}</Empty>
      ) : (
        <Waiting what="Your scores" retry={() => store.wake()} lines={4} height={72} />
      )}
    </Card>
  )
}

function Scores({ judgement }: { readonly judgement: Judgement }) {
  const { next, goOn, finish } = useFinish(judgement)
  return (
    <Card title="Your scores" note={<SaveLine judgement={judgement} />} className="scoring">
      <div className="stack">
        <Notices judgement={judgement} />
        {isFrozen(judgement.behind) ? (
          <OwnAndOthers judgement={judgement} />
        ) : (
          <ScoreForm judgement={judgement} next={next} goOn={goOn} finish={finish} />
        )}
      </div>
    </Card>
  )
}

/** Finishes, then opens the next team. Without a connection the page stays, and the judge goes on by hand. */
function useFinish({ team, behind, store }: Judgement) {
  const { items } = useQueue()
  const name = useTeamName(team)
  const router = useRouter()
  const say = useToast()
  const isGoing = useRef(false)
  const at = items.findIndex(item => item.team === team)
  const next =
    [...items.slice(at + 1), ...items.slice(0, Math.max(0, at))].find(item => !isRead(item))?.team ?? null
  const goOn = () => void router.navigate({ href: next === null ? startHref : teamHref(next) })
  useEffect(() => {
    if (!isGoing.current) return
    if (!behind.isFinishing || behind.trouble !== null) isGoing.current = false
    if (!isFrozen(behind)) return
    say({ text: `${name} is done.` })
    // After the last team, the scores of the others are worth a look.
    if (next !== null) goOn()
  })
  const finish = () => {
    isGoing.current = true
    store.finish(team)
  }
  return { next, goOn, finish }
}

function Notices({ judgement: { behind, team, store } }: { readonly judgement: Judgement }) {
  const { open, opens_at, closes_at } = useQueue()
  const now = useServerNow(10_000)
  const zone = useZone()
  const [isReopening, setReopening] = useState(false)
  const show = (at: string) => formatMoment(Date.parse(at), now, zone)
  const isEarly = opens_at !== null && Date.parse(opens_at) > now
  const isElsewhere = behind.otherDeviceAt !== null && now - Date.parse(behind.otherDeviceAt) < otherDeviceMs
  const hasRest = isFrozen(behind) && isUnsaved(behind)
  return (
    <>
      {open ? null : (
        <div className="notice" data-tone="info" role="status">
          {isEarly
            ? `You can read now. Scores can be written from ${show(opens_at)}.`
            : closes_at === null
              ? 'Scores are closed.'
              : `Scores closed ${show(closes_at)}. Ask the head judge if yours are not finished.`}
          {isUnsaved(behind) ? ' What you wrote last is not saved. It is kept on this device.' : null}
        </div>
      )}
      {!isElsewhere || isFrozen(behind) ? null : (
        <div className="notice" data-tone="info" role="status">
          You also have this team open on another device or in another tab. Both are joined, and nothing is
          lost.
        </div>
      )}
      {hasRest ? (
        <div className="notice wrap" data-tone="warn" role="status">
          <span>
            You finished this team on another device. What you wrote here since then is not saved. It is kept
            on this device.
          </span>
          <span className="row wrap">
            <Button size="xs" variant="default" onClick={() => setReopening(true)}>
              Reopen and add it
            </Button>
            <Button size="xs" variant="default" onClick={() => store.settle(team, { kind: 'discarded' })}>
              Discard it
            </Button>
          </span>
        </div>
      ) : null}
      {isReopening ? <ReasonDialog kind="reopen" team={team} onClose={() => setReopening(false)} /> : null}
    </>
  )
}

function ScoreForm({
  judgement,
  next,
  goOn,
  finish,
}: {
  readonly judgement: Judgement
  readonly next: string | null
  readonly goOn: () => void
  readonly finish: () => void
}) {
  const { behind, team, criteria, gates, canWrite, edit } = judgement
  const { written, doubts } = behind
  const form = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const [hasFocus, setFocus] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const [isGivingUp, setGivingUp] = useState(false)
  const missing = findMissing(criteria, gates, written)
  const isReady = missing.length === 0 && doubts.length === 0
  const fieldOf = (index: number) => form.current?.querySelectorAll<HTMLElement>('[data-criterion]')[index]
  const focusScore = (index: number, score?: number) => {
    const wanted = Math.max(0, Math.min(criteria.length - 1, index))
    setActive(wanted)
    const field = fieldOf(wanted)
    // A new score is not rendered yet.
    const input = [`[value="${score}"]`, ':checked', ''].flatMap(
      which => field?.querySelector<HTMLElement>(`input${which}`) ?? [],
    )[0]
    input?.focus()
    field?.scrollIntoView({ block: 'nearest' })
  }
  const done = () => {
    if (!canWrite || isBehindDialog(form.current)) return
    if (isReady) return finish()
    setAsked(true)
    const first = form.current?.querySelector<HTMLElement>('[data-missing="true"] input')
    first?.focus()
  }
  const highest = Math.max(0, ...criteria.map(({ max }) => max))
  const typed = useRef<{ readonly id: string; readonly at: number } | null>(null)
  const typeDigit = (digit: number) => {
    const criterion = criteria[active]
    if (!canWrite || criterion === undefined) return
    const { id, max } = criterion
    const isTen = digit === 0 && typed.current?.id === id && Date.now() - typed.current.at < sequenceMs
    const score = isTen && max === 10 ? 10 : digit
    typed.current = digit === 1 ? { id, at: Date.now() } : null
    if (score <= max) edit(now => changeScore(now, id, { score }))
    focusScore(active, score)
  }
  useHotkeys([
    {
      keys: `0-${Math.min(9, highest)}`,
      does: 'Score the marked criterion',
      run: key => typeDigit(Number(key)),
    },
    {
      keys: 'n',
      does: 'Write why',
      run: () => fieldOf(active)?.querySelector<HTMLElement>('textarea')?.focus(),
    },
    { keys: 'mod+enter', does: 'Done, next team', run: done },
  ])
  // Elsewhere these keys scroll the page.
  useHotkeys(
    hasFocus
      ? [
          { keys: 'ArrowDown', does: 'Next criterion', run: () => focusScore(active + 1) },
          { keys: 'ArrowUp', does: 'Previous criterion', run: () => focusScore(active - 1) },
        ]
      : [],
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only notices where the focus is.
    <div
      ref={form}
      className="stack score-form"
      onFocus={event => {
        setFocus(true)
        const fields = [...event.currentTarget.querySelectorAll('[data-criterion]')]
        const index = fields.findIndex(field => field.contains(event.target))
        if (index >= 0) setActive(index)
      }}
      onKeyDown={event => {
        // In a field for a number, these keys would change it.
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (by === undefined || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        event.stopPropagation()
        focusScore(active + by)
      }}
      onBlur={event => {
        if (!event.currentTarget.contains(event.relatedTarget)) setFocus(false)
      }}
    >
      {criteria.map((criterion, index) => (
        <CriterionField
          key={criterion.id}
          judgement={judgement}
          criterion={criterion}
          isActive={index === active && canWrite}
          isMissing={isAsked}
        />
      ))}
      {gates.map(gate => (
        <GateField key={gate.id} judgement={judgement} gate={gate} isMissing={isAsked} />
      ))}
      <Comment
        label="Comment for the team"
        readers="The team reads this after the results are published."
        value={written.commentTeam}
        isOff={!canWrite}
        onChange={commentTeam => edit(now => ({ ...now, commentTeam }))}
      />
      <Comment
        label="Comment for colleagues"
        readers="Only the organisers and the other judges of this team read this. The team never does."
        value={written.commentJudges}
        isOff={!canWrite}
        onChange={commentJudges => edit(now => ({ ...now, commentJudges }))}
      />
      <div className="score-foot">
        <Sum judgement={judgement} />
        <p className="small" data-part="missing" role={isAsked && !isReady ? 'alert' : undefined}>
          {missing.length > 0 ? (
            <span className={isAsked ? 'tone-bad' : 'muted'}>Still missing: {missing.join(', ')}</span>
          ) : doubts.length > 0 ? (
            <span className={isAsked ? 'tone-bad' : 'muted'}>
              Choose between the answers of your two devices.
            </span>
          ) : (
            <span className="muted">Everything is answered.</span>
          )}
        </p>
        <Button
          fullWidth
          size="md"
          className="touch"
          data-part="done"
          aria-keyshortcuts="Control+Enter Meta+Enter"
          variant={isReady ? 'filled' : 'default'}
          disabled={!canWrite}
          loading={behind.isFinishing && behind.trouble === null}
          onClick={done}
          rightSection={
            <Kbd size="xs" className="from-768">
              {showKey('mod+enter')}
            </Kbd>
          }
        >
          {next === null ? 'Done' : 'Done, next team'}
        </Button>
        <button type="button" className="text-button" disabled={!canWrite} onClick={() => setGivingUp(true)}>
          Could not judge…
        </button>
      </div>
      {isGivingUp ? (
        <ReasonDialog kind="unable" team={team} onClose={() => setGivingUp(false)} onDone={goOn} />
      ) : null}
    </div>
  )
}

/** On a phone the form is in a dialog itself. */
function isBehindDialog(form: Element | null): boolean {
  return [...document.querySelectorAll('[role="dialog"][aria-modal="true"]')].some(
    each => !each.contains(form),
  )
}

function Comment({
  label,
  readers,
  value,
  isOff,
  onChange,
}: {
  readonly label: string
  readonly readers: string
  readonly value: string
  readonly isOff: boolean
  readonly onChange: (text: string) => void
}) {
  return (
    <Textarea
      label={label}
      description={readers}
      autosize
      minRows={2}
      maxRows={12}
      value={value}
      readOnly={isOff}
      error={value.length > maxComment ? tooLong(value, maxComment) : undefined}
      onChange={event => onChange(event.currentTarget.value)}
    />
  )
}

function Sum({ judgement: { criteria, behind } }: { readonly judgement: Judgement }) {
  const mean = weighSoFar(criteria, behind.written)
  const scored = criteria.filter(({ id }) => (behind.written.scores[id]?.score ?? null) !== null).length
  return (
    <div className="row-between" data-part="mean">
      <span className="muted">
        {new Set(criteria.map(({ weight }) => weight)).size === 1 ? 'Mean' : 'Weighted mean'}
        {scored < criteria.length ? `, ${scored} of ${criteria.length} scored` : ''}
      </span>
      <span className="figure">{formatMean(mean)}</span>
    </div>
  )
}
