// Refusals over time by cause: shows which limit teams run into.
import type { SpendSeries } from '@fairgate/contracts/spend/spend-report.ts'
import { Link } from '@tanstack/react-router'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { nameRefusal } from '../../../format/refusal.ts'
import { Card } from '../../../show/card.tsx'
import { StackedBars, type StackSeries } from '../../../show/stacked-bars.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { lastHours } from './figures.tsx'

const maxCauses = 5
const stepMs = 5 * 60_000

export function RefusalChart() {
  const from = lastHours(2)
  const refusals = useRead(readOf<SpendSeries>('/series/refusals', { step: '5m', from }), { everyMs: 30_000 })
  return (
    <Card
      title="Refusals by cause"
      note="last 2 h, per 5 min"
      action={
        <Link to="/console/calls" search={{ outcome: 'refused' }}>
          View calls
        </Link>
      }
    >
      <Loaded read={refusals} what="The refusals" height={200}>
        {reply => {
          const series = groupCauses(reply)
          const start = Date.parse(from)
          const until = Math.ceil(Date.now() / stepMs) * stepMs
          return series.length === 0 ? (
            <Empty>No calls were refused in the last two hours.</Empty>
          ) : (
            <StackedBars
              series={series}
              from={start}
              until={until}
              stepMs={stepMs}
              summary={`${countOf(reply.total.refused, 'call')} refused in two hours, mostly ${series[0]?.label}`}
            />
          )
        }}
      </Loaded>
    </Card>
  )
}

/** Each cause keeps its colour. Groups: limits that teams run into, spent budgets, and faults in the call itself. */
const causeColors: Readonly<Record<string, string>> = {
  rpm_exceeded: 'var(--series-1)',
  tpm_exceeded: 'var(--series-3)',
  parallel_exceeded: 'var(--series-5)',
  budget_exceeded: 'var(--fill-bad)',
  event_budget_exceeded: 'var(--fill-bad)',
  budget_held: 'var(--held)',
  invalid_request: 'var(--series-2)',
  model_not_allowed: 'var(--series-4)',
}

function colorOf(code: string): string {
  return causeColors[code] ?? 'var(--series-other)'
}

function groupCauses({ series }: SpendSeries): StackSeries[] {
  const causes = [...series].sort((one, other) => other.refused - one.refused)
  const shown = causes.slice(0, maxCauses).map(({ code = 'other', points }) => ({
    id: code,
    label: nameRefusal(code),
    color: colorOf(code),
    values: new Map(points.map(({ at, refused }) => [Date.parse(at), refused])),
  }))
  const rest = new Map<number, number>()
  for (const { points } of causes.slice(maxCauses)) {
    for (const { at, refused } of points) rest.set(Date.parse(at), (rest.get(Date.parse(at)) ?? 0) + refused)
  }
  return rest.size === 0
    ? shown
    : [...shown, { id: 'other causes', label: 'other causes', color: 'var(--series-other)', values: rest }]
}
