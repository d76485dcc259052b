// One criterion to score: what it means, a button for each score, why, and the entries that show it. And a gate with yes or no.
import { maxWhy } from '@fairgate/contracts/judging/scores.ts'
import { Button, CloseButton, NumberInput, Textarea } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useId } from 'react'
import { Badge } from '../../show/badge.tsx'
import { ForeignText } from '../../show/foreign.tsx'
import { PageLink } from '../../show/page-link.tsx'
import { entryHref } from '../judge-address.ts'
import type { Doubt } from './join-judgements.ts'
import { type Criterion, changeScore, type Gate, noScore, tidy, toggleCite, tooLong } from './judgement.ts'
import type { Judgement } from './judgement-context.tsx'

/** More scores than this are typed as a number. */
const maxButtons = 10

export function CriterionField({
  judgement,
  criterion: { id, name, help, max, weight, anchors = [] },
  isActive,
  isMissing,
}: {
  readonly judgement: Judgement
  readonly criterion: Criterion
  /** Digits score it. */
  readonly isActive: boolean
  /** Mark it if it has no score. */
  readonly isMissing: boolean
}) {
  const { behind, team, criteria, canWrite, edit, store } = judgement
  const { score, why, cites } = behind.written.scores[id] ?? noScore
  const helpId = useId()
  const set = (next: number | null) => edit(now => changeScore(now, id, { score: next }))
  const doubt = behind.doubts.find(each => each.kind === 'score' && each.id === id)
  const weights = criteria.reduce((sum, each) => sum + each.weight, 0)
  const hasWeights = criteria.some(each => each.weight !== weight)
  const text = help ?? ''
  return (
    <fieldset
      className="criterion"
      data-criterion={id}
      data-active={isActive}
      data-missing={score === null}
      data-asked={isMissing && score === null}
    >
      <legend className="row-between">
        <span className="strong">
          <ForeignText text={name} most={80} />
        </span>
        {hasWeights ? (
          <span className="small muted nowrap">{Math.round((100 * weight) / weights)} %</span>
        ) : null}
      </legend>
      <div id={helpId} className="small muted stack-tight">
        {text === '' ? null : <ForeignText text={text} most={1000} />}
        {anchors.length === 0 ? null : (
          <dl className="anchors">
            {[...anchors]
              .sort((one, other) => one.score - other.score)
              .map(anchor => (
                <div key={anchor.score} data-on={anchor.score === score}>
                  <dt>{anchor.score}</dt>
                  <dd>
                    <ForeignText text={anchor.text} most={400} />
                  </dd>
                </div>
              ))}
          </dl>
        )}
      </div>
      {max <= maxButtons ? (
        <Choices
          name={`score ${id}`}
          describedBy={helpId}
          choices={Array.from({ length: max + 1 }, (_, value) => ({ value, label: String(value) }))}
          value={score}
          isOff={!canWrite}
          onChange={set}
        />
      ) : (
        <NumberInput
          aria-label={`${name}, 0 to ${max}`}
          aria-describedby={helpId}
          w={120}
          min={0}
          max={max}
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="strict"
          hideControls
          withKeyboardEvents={false}
          suffix={` of ${max}`}
          placeholder={`0 to ${max}`}
          inputMode="numeric"
          value={score ?? ''}
          readOnly={!canWrite}
          onChange={value => set(typeof value === 'number' ? value : null)}
        />
      )}
      {doubt === undefined || score === null ? null : (
        <DoubtNotice
          keep={`Keep ${score}`}
          take={doubt.other === null ? null : `Take ${doubt.other}`}
          onKeep={() => store.settle(team, { kind: 'settled', doubt })}
          onTake={() => {
            if (doubt.kind === 'score' && doubt.other !== null) set(doubt.other)
          }}
        >
          You gave {score} here and {doubt.other === null ? 'no score' : doubt.other} on your other device.
        </DoubtNotice>
      )}
      <Textarea
        label="Why"
        aria-label={`Why, ${name}`}
        autosize
        minRows={1}
        maxRows={10}
        value={why}
        readOnly={!canWrite}
        error={why.length > maxWhy ? tooLong(why, maxWhy) : undefined}
        onChange={event => {
          const { value } = event.currentTarget
          edit(now => changeScore(now, id, { why: value }))
        }}
        onKeyDown={leaveByEscape}
      />
      {cites.length === 0 ? null : (
        <ul className="cites" aria-label={`Entries cited for ${name}`}>
          {cites.map(seq => (
            <li key={seq} className="cite-chip">
              <PageLink href={entryHref(team, seq)}>
                <span className="hidden-text">Entry </span>#{seq}
              </PageLink>
              {canWrite ? (
                <CloseButton
                  size="xs"
                  aria-label={`No longer cite entry ${seq}`}
                  onClick={() => edit(now => toggleCite(now, id, seq))}
                />
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  )
}

export function GateField({
  judgement: { behind, team, canWrite, edit, store },
  gate: { id, name, help },
  isMissing,
}: {
  readonly judgement: Judgement
  readonly gate: Gate
  readonly isMissing: boolean
}) {
  const passed = behind.written.gates[id] ?? null
  const helpId = useId()
  const doubt = behind.doubts.find(each => each.kind === 'gate' && each.id === id)
  const set = (next: boolean) => edit(now => tidy({ ...now, gates: { ...now.gates, [id]: next } }))
  const say = (value: Doubt['other']) => (value === null ? 'no answer' : value === true ? 'yes' : 'no')
  return (
    <fieldset className="criterion" data-missing={passed === null} data-asked={isMissing && passed === null}>
      <legend className="row">
        <span className="strong">
          <ForeignText text={name} most={80} />
        </span>
        <Badge>yes or no, no points</Badge>
      </legend>
      <div id={helpId} className="small muted">
        <ForeignText text={help ?? ''} most={1000} />
      </div>
      <Choices
        name={`gate ${id}`}
        describedBy={helpId}
        choices={[
          { value: true, label: 'Yes' },
          { value: false, label: 'No' },
        ]}
        value={passed}
        isOff={!canWrite}
        onChange={set}
      />
      {doubt === undefined || passed === null ? null : (
        <DoubtNotice
          keep={`Keep ${say(passed)}`}
          take={doubt.other === null ? null : `Take ${say(doubt.other)}`}
          onKeep={() => store.settle(team, { kind: 'settled', doubt })}
          onTake={() => {
            if (doubt.kind === 'gate' && doubt.other !== null) set(doubt.other)
          }}
        >
          You answered {say(passed)} here and {say(doubt.other)} on your other device.
        </DoubtNotice>
      )}
    </fieldset>
  )
}

function Choices<Value extends number | boolean>({
  name,
  describedBy,
  choices,
  value,
  isOff,
  onChange,
}: {
  readonly name: string
  readonly describedBy: string
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value | null
  readonly isOff: boolean
  readonly onChange: (value: Value) => void
}) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move within the choices, not to another team.
    <div className="choices" onKeyDown={keepArrows}>
      {choices.map(choice => (
        <label key={choice.label} className="choice">
          <input
            type="radio"
            name={name}
            value={String(choice.value)}
            aria-describedby={describedBy}
            checked={choice.value === value}
            disabled={isOff}
            onChange={() => onChange(choice.value)}
          />
          <span>{choice.label}</span>
        </label>
      ))}
    </div>
  )
}

function DoubtNotice({
  keep,
  take,
  onKeep,
  onTake,
  children,
}: {
  readonly keep: string
  readonly take: string | null
  readonly onKeep: () => void
  readonly onTake: () => void
  readonly children: ReactNode
}) {
  return (
    <div className="notice wrap" data-tone="warn" role="status">
      <span>{children}</span>
      <span className="row wrap">
        <Button size="xs" variant="default" onClick={onKeep}>
          {keep}
        </Button>
        {take === null ? null : (
          <Button size="xs" variant="default" onClick={onTake}>
            {take}
          </Button>
        )}
      </span>
    </div>
  )
}

function keepArrows(event: KeyboardEvent): void {
  if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') event.stopPropagation()
}

/** Escape leads back to the scores, where digits and arrows work. */
function leaveByEscape(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Escape') return
  const field = event.currentTarget.closest('fieldset')
  const score =
    field?.querySelector<HTMLElement>('input:checked') ?? field?.querySelector<HTMLElement>('input')
  score?.focus()
}
