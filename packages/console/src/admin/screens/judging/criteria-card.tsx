// The criteria of the set-up with their weights, help texts and anchors, and the gates.
import { Button, Textarea } from '@mantine/core'
import { Plus } from 'lucide-react'
import { formatShare } from '../../../format/number.ts'
import { Card } from '../../../show/card.tsx'
import { FailureNote } from '../../../show/failure-note.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { readWhole } from '../team/read-fields.ts'
import { RemoveRow, RowButtons } from './row-buttons.tsx'
import { type DraftCriterion, emptyCriterion, moveBy, nextKey } from './setup-draft.ts'
import { LockNote, type SetupForm } from './setup-form.tsx'

const maxCriteria = 20
const maxGates = 10
/** Fits the help texts of most events; longer ones scroll. */
const maxRows = 8

export function CriteriaCard({ form }: { readonly form: SetupForm }) {
  const { draft, set, faults, lock } = form
  const { criteria } = draft
  const total = criteria.reduce((sum, { weight }) => sum + (readWhole(weight) ?? 0), 0)
  const change = (key: string, changes: Partial<DraftCriterion>) =>
    set({ criteria: criteria.map(row => (row.key === key ? { ...row, ...changes } : row)) })
  return (
    <Card title="Criteria" note="what judges score, each from 0 to its max">
      <div className="stack">
        <LockNote lock={lock} />
        <FailureNote text={faults.get('criteria')} />
        {criteria.map((row, at) => (
          <section
            key={row.key}
            className="sunken-box"
            aria-label={`Criterion ${at + 1}`}
            data-criterion={row.key}
          >
            <div className="criterion-head">
              <TextField
                label="Name"
                value={row.name}
                maxLength={100}
                error={faults.get(`criterion.${row.key}.name`)}
                onChange={name => change(row.key, { name })}
              />
              <TextField
                label="Weight"
                inputMode="numeric"
                value={row.weight}
                disabled={lock !== null}
                error={faults.get(`criterion.${row.key}.weight`)}
                onChange={weight => change(row.key, { weight })}
              />
              <TextField
                label="Max"
                inputMode="numeric"
                value={row.max}
                disabled={lock !== null}
                error={faults.get(`criterion.${row.key}.max`)}
                onChange={max => change(row.key, { max })}
              />
              <RowButtons
                name={row.name === '' ? `criterion ${at + 1}` : row.name}
                isFirst={at === 0}
                isLast={at === criteria.length - 1}
                isRemoveLocked={lock !== null}
                onMove={by => set({ criteria: moveBy(criteria, at, by) })}
                {...(criteria.length === 1
                  ? {}
                  : {
                      onRemove: () => set({ criteria: criteria.filter(({ key }) => key !== row.key) }),
                    })}
              />
            </div>
            <span className="muted small">
              {total === 0 ? '' : `${formatShare((readWhole(row.weight) ?? 0) / total)} of the total`}
            </span>
            <Textarea
              label="Help for judges"
              autosize
              minRows={1}
              maxRows={maxRows}
              maxLength={4000}
              value={row.help}
              onChange={event => change(row.key, { help: event.currentTarget.value })}
            />
            <Anchors row={row} form={form} onChange={anchors => change(row.key, { anchors })} />
          </section>
        ))}
        <span>
          <IconButton
            icon={Plus}
            disabled={lock !== null || criteria.length >= maxCriteria}
            onClick={() => set({ criteria: [...criteria, emptyCriterion()] })}
          >
            Add a criterion
          </IconButton>
        </span>
      </div>
    </Card>
  )
}

/** What scores stand for. The next free score is offered, from the top of the scale. */
function Anchors({
  row,
  form: { faults },
  onChange,
}: {
  readonly row: DraftCriterion
  readonly form: SetupForm
  readonly onChange: (anchors: DraftCriterion['anchors']) => void
}) {
  const { anchors } = row
  const max = Math.min(readWhole(row.max) ?? 0, 100)
  const taken = new Set(anchors.map(({ score }) => readWhole(score)))
  const free = Array.from({ length: max + 1 }, (_, index) => max - index).find(score => !taken.has(score))
  return (
    <div className="stack-tight">
      {anchors.map(anchor => (
        <div key={anchor.key} className="anchor">
          <TextField
            aria-label={`Score of an anchor of ${row.name}`}
            inputMode="numeric"
            value={anchor.score}
            error={faults.get(`anchor.${anchor.key}`)}
            onChange={score =>
              onChange(anchors.map(each => (each.key === anchor.key ? { ...each, score } : each)))
            }
          />
          <Textarea
            aria-label={`What ${anchor.score} means`}
            placeholder={`What ${anchor.score} means`}
            autosize
            minRows={1}
            maxRows={maxRows}
            maxLength={4000}
            value={anchor.text}
            onChange={event => {
              const text = event.currentTarget.value
              onChange(anchors.map(each => (each.key === anchor.key ? { ...each, text } : each)))
            }}
          />
          <RemoveRow
            name={`the anchor of ${anchor.score}`}
            onRemove={() => onChange(anchors.filter(({ key }) => key !== anchor.key))}
          />
        </div>
      ))}
      {free === undefined ? null : (
        <span>
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => onChange([...anchors, { key: nextKey(), score: String(free), text: '' }])}
          >
            Say what {free} means
          </Button>
        </span>
      )}
    </div>
  )
}

export function GatesCard({ form: { draft, set, faults, lock } }: { readonly form: SetupForm }) {
  const { gates } = draft
  return (
    <Card title="Gates" note="questions with yes or no, apart from points, such as eligibility">
      <div className="stack">
        {gates.map((row, at) => (
          <div key={row.key} className="gate">
            <TextField
              label={`Gate ${at + 1}`}
              value={row.name}
              maxLength={100}
              error={faults.get(`gate.${row.key}`)}
              onChange={name =>
                set({ gates: gates.map(each => (each.key === row.key ? { ...each, name } : each)) })
              }
            />
            <TextField
              label="Help for judges"
              value={row.help}
              maxLength={4000}
              onChange={help =>
                set({ gates: gates.map(each => (each.key === row.key ? { ...each, help } : each)) })
              }
            />
            <RemoveRow
              name={row.name === '' ? `gate ${at + 1}` : row.name}
              isLocked={lock !== null}
              onRemove={() => set({ gates: gates.filter(({ key }) => key !== row.key) })}
            />
          </div>
        ))}
        <span>
          <IconButton
            icon={Plus}
            disabled={lock !== null || gates.length >= maxGates}
            onClick={() => set({ gates: [...gates, { key: nextKey(), id: null, name: '', help: '' }] })}
          >
            Add a gate
          </IconButton>
        </span>
      </div>
    </Card>
  )
}
