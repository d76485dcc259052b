// Judging a set of teams again: who still has to judge, what would change, and applying or discarding it as one change.
import type { RejudgingReply, ResultsReply, ResultTeam } from '@fairgate/contracts/judging/results.ts'
import { Button, MultiSelect } from '@mantine/core'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Loaded } from '../../../show/states.tsx'

type Rejudging = NonNullable<ResultsReply['rejudging']>
type Effect = RejudgingReply['effect'][number]

const percent = (value: number | null) => (value === null ? '–' : (value * 100).toFixed(1))

const columns: readonly Column<Effect>[] = [
  { id: 'team', head: 'Team', cell: ({ team }) => <ForeignName name={team} /> },
  {
    id: 'rank',
    head: 'Rank',
    isEnd: true,
    cell: ({ rank_before, rank_after }) => `${rank_before ?? '–'} → ${rank_after ?? '–'}`,
  },
  {
    id: 'mean',
    head: 'Mean',
    isEnd: true,
    cell: ({ mean_before, mean_after }) => `${percent(mean_before)} → ${percent(mean_after)}`,
  },
]

export function RejudgingCard({ rejudging }: { readonly rejudging: Rejudging }) {
  const read = useRead(readOf<RejudgingReply>('/judging/rejudging'), { everyMs: 15_000 })
  const [closing, setClosing] = useState<boolean | null>(null)
  const left = rejudging.items.filter(({ done }) => !done)
  return (
    <Card
      title="Judged again"
      note={
        <>
          since <Moment at={rejudging.opened_at} as="ago" /> by {rejudging.opened_by}
        </>
      }
      action={
        <span className="row wrap">
          <Button size="xs" variant="default" onClick={() => setClosing(false)}>
            Discard…
          </Button>
          <Button size="xs" disabled={left.length > 0} onClick={() => setClosing(true)}>
            Apply…
          </Button>
        </span>
      }
    >
      <p>
        <ForeignText text={rejudging.reason} most={500} />
      </p>
      <p className="muted">
        {left.length === 0
          ? 'All judgements are finished.'
          : `${countOf(left.length, 'judgement')} of ${rejudging.items.length} not finished: ${left.map(({ judge, team_id }) => `${judge} on ${team_id}`).join(', ')}.`}
      </p>
      <Loaded read={read} what="The effect" height={120}>
        {({ effect }) =>
          effect.length === 0 ? (
            <p className="muted">Nothing in the ranking would change.</p>
          ) : (
            <DataTable
              isWhole
              caption="What would change"
              columns={columns}
              rows={effect}
              idOf={({ team_id }) => team_id}
            />
          )
        }
      </Loaded>
      {closing === null ? null : (
        <ActionDialog
          title={closing ? 'Apply the new judgements' : 'Discard the new judgements'}
          verb={closing ? 'Apply' : 'Discard'}
          isDanger={!closing}
          request={{
            method: 'POST',
            path: '/judging/rejudging/close',
            body: { apply: closing, reason: '–' },
          }}
          onClose={() => setClosing(null)}
        />
      )}
    </Card>
  )
}

export function RejudgeDialog({
  teams,
  onClose,
}: {
  readonly teams: readonly ResultTeam[]
  readonly onClose: () => void
}) {
  const [chosen, setChosen] = useState<string[]>([])
  return (
    <ActionDialog
      title="Judge teams again"
      verb="Ask the judges"
      request={{
        method: 'POST',
        path: '/judging/rejudging',
        body: chosen.length === 0 ? null : { teams: chosen, reason: '–' },
      }}
      undo="What was judged before counts until you apply the new judgements."
      onClose={onClose}
    >
      <MultiSelect
        label="Teams"
        searchable
        data={teams
          .filter(({ judgements }) => judgements > 0)
          .map(({ team_id, team }) => ({ value: team_id, label: team }))}
        value={chosen}
        onChange={setChosen}
      />
    </ActionDialog>
  )
}
