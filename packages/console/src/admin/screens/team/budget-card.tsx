// Budget card: what a team has left, how it was spent, and when it runs out at the current pace.

import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import type { SpendSeries } from '@fairgate/contracts/spend/spend-report.ts'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatAxisMoney, formatBudget, formatMoney } from '../../../format/money.ts'
import { useRefresh, useServerNow } from '../../../live/live-context.tsx'
import { AreaChart } from '../../../show/area-chart.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Loaded } from '../../../show/states.tsx'
import { useMayOrganise } from '../../session-context.tsx'
import { chooseStep, drawBurnDown, drawForecast, drawSpend } from './burn-down.ts'

const hour = 3_600_000

export function BudgetCard({ row }: { readonly row: TeamRow }) {
  const event = useRead(readOf<EventRecord>('/event'))
  const mayOrganise = useMayOrganise()
  const now = useServerNow(10_000)
  // Without a phase the chart starts four hours before the page was opened, not before now: the read's address must not move with the clock.
  const [opened] = useState(now)
  const { budget_nano, spent_nano, left_nano, held_nano, uncharged_nano, pace_nano_h, dry_at } = row
  const figures = budget_nano === null ? null : formatBudget(spent_nano, budget_nano)
  return (
    <Card
      title={budget_nano === null ? 'Spent' : 'Budget left'}
      action={
        pace_nano_h === null || pace_nano_h === 0 ? null : (
          <span className="muted small">{formatMoney(pace_nano_h)}/h in the last hour</span>
        )
      }
    >
      <div className="row-between wrap">
        <div className="row wrap">
          <span>
            <span className="team-figure">{figures === null ? formatMoney(spent_nano) : figures.left}</span>{' '}
            <span className="muted">{figures === null ? 'no budget set' : `left of ${figures.budget}`}</span>
          </span>
          {held_nano > 0 ? <Badge tone="held">{formatMoney(held_nano)} held for running calls</Badge> : null}
          {uncharged_nano > 0 ? (
            <Badge tone="warn">{formatMoney(uncharged_nano)} billed but not charged</Badge>
          ) : null}
          {figures?.over === null || figures === null ? null : (
            <Badge tone="bad">over by {figures.over}</Badge>
          )}
        </div>
        {left_nano !== null && left_nano <= 0 ? (
          <Badge tone="bad">Spent</Badge>
        ) : dry_at === null ? (
          budget_nano === null || pace_nano_h === null || pace_nano_h === 0 ? null : (
            <Badge tone="ok">Lasts until the end</Badge>
          )
        ) : (
          <Badge tone="warn">
            Budget lasts until about <Moment at={dry_at} />
          </Badge>
        )}
      </div>
      {mayOrganise ? (
        <Loaded read={event} what="The event" height={200}>
          {({ phase, phases }) => {
            const present = phases.find(({ name }) => name === phase)
            return (
              <Curve
                row={row}
                now={now}
                from={present === undefined ? opened - 4 * hour : Date.parse(present.from)}
                until={present === undefined || present.until === null ? null : Date.parse(present.until)}
              />
            )
          }}
        </Loaded>
      ) : null}
    </Card>
  )
}

function Curve({
  row,
  now,
  from,
  until,
}: {
  readonly row: TeamRow
  readonly now: number
  readonly from: number
  readonly until: number | null
}) {
  const { team_id, left_nano, spent_nano, budget_nano, pace_nano_h } = row
  const step = chooseStep(now - from)
  const series = useRead(
    readOf<SpendSeries>('/series/spend', {
      team_id,
      from: new Date(from).toISOString(),
      step: step.name,
    }),
  )
  useRefresh(`calls:${team_id}`, [['/series/spend']], 10_000)
  const end = Math.max(now, until ?? now)
  return (
    <Loaded read={series} what="The budget chart" height={200}>
      {reply => {
        const steps = reply.series.flatMap(({ points }) =>
          points.map(({ at, cost_nano }) => ({ at: Date.parse(at), nano: cost_nano })),
        )
        const frame = { from, now, stepMs: step.ms }
        const points =
          left_nano === null ? drawSpend(steps, frame) : drawBurnDown(steps, { ...frame, left: left_nano })
        const forecast =
          left_nano === null ? [] : drawForecast({ now, until: end, left: left_nano, paceNanoH: pace_nano_h })
        const summary =
          budget_nano === null || left_nano === null
            ? `${formatMoney(spent_nano)} spent, no budget set`
            : `${formatMoney(Math.max(0, left_nano), 'down')} of ${formatMoney(budget_nano, 'nearest')} left`
        return (
          <AreaChart
            points={points}
            forecast={forecast}
            isOver={forecast.at(-1)?.value === 0}
            marks={end > now ? [{ at: now, label: 'now' }] : []}
            from={from}
            until={end}
            formatValue={formatAxisMoney}
            summary={summary}
            height={300}
          />
        )
      }}
    </Loaded>
  )
}
