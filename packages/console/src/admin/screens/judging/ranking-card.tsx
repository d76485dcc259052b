// What decides the ranking, and the steps that decide between equal teams.
import { Radio, Select } from '@mantine/core'
import { Card } from '../../../show/card.tsx'
import { RowButtons } from './row-buttons.tsx'
import { byOrder, moveBy, type SetupDraft } from './setup-draft.ts'
import { LockNote, type SetupForm } from './setup-form.tsx'

export function RankingCard({ form: { draft, set, lock } }: { readonly form: SetupForm }) {
  const { ties, criteria } = draft
  const nameTie = (tie: string) =>
    tie === byOrder
      ? 'The orders that the judges gave'
      : `More points in ${criteria.find(({ key }) => key === tie)?.name || 'a criterion without a name'}`
  const known = ties.filter(tie => tie === byOrder || criteria.some(({ key }) => key === tie))
  const free = [...criteria.map(({ key }) => key), byOrder].filter(tie => !known.includes(tie))
  return (
    <Card title="Ranking">
      <div className="stack">
        <LockNote lock={lock} />
        <Radio.Group
          label="What decides"
          value={draft.ranking}
          onChange={value => set({ ranking: value as SetupDraft['ranking'] })}
        >
          <div className="stack-tight">
            <Radio
              value="mean"
              disabled={lock !== null}
              label="Scores"
              description="The weighted mean of the scores of a team's judges"
            />
            <Radio
              value="order"
              disabled={lock !== null}
              label="Orders"
              description="The ranking that fits best to the orders in which the judges put their teams"
            />
          </div>
        </Radio.Group>
        <div className="stack-tight">
          <h3 id="ties">Between equal teams, one after the other</h3>
          <ol className="ties" aria-labelledby="ties">
            {known.map((tie, at) => (
              <li key={tie} className="tie">
                <span className="faint">{at + 1}</span>
                <span className="grow">{nameTie(tie)}</span>
                <RowButtons
                  name={nameTie(tie)}
                  isFirst={at === 0}
                  isLast={at === known.length - 1}
                  isLocked={lock !== null}
                  onMove={by => set({ ties: moveBy(known, at, by) })}
                  onRemove={() => set({ ties: known.filter(each => each !== tie) })}
                />
              </li>
            ))}
            <li className="tie">
              <span className="faint">{known.length + 1}</span>
              <span className="grow">The head judge decides, and writes down why</span>
            </li>
          </ol>
          {free.length === 0 || lock !== null ? null : (
            <Select
              aria-label="Add a step"
              placeholder="Add a step…"
              data={free.map(tie => ({ value: tie, label: nameTie(tie) }))}
              value={null}
              onChange={tie => {
                if (tie !== null) set({ ties: [...known, tie] })
              }}
            />
          )}
        </div>
      </div>
    </Card>
  )
}
