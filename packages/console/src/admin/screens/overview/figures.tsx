// Event summary in six figures.
import type { Overview } from '@fairgate/contracts/console/overview.ts'
import type { SpendSeries } from '@fairgate/contracts/spend/spend-report.ts'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { keyOf, readOf, useRead } from '../../../api/use-read.ts'
import { formatForecast, formatMoney } from '../../../format/money.ts'
import { countOf, formatCount, formatShare } from '../../../format/number.ts'
import { formatDuration } from '../../../format/time.ts'
import { useTopic } from '../../../live/live-context.tsx'
import { Money } from '../../../show/money.tsx'
import { Sparkline } from '../../../show/spark.tsx'
import { Loaded } from '../../../show/states.tsx'

const read = readOf<Overview>('/overview')

export function Figures() {
  const overview = useRead(read)
  const queries = useQueryClient()
  // The stream message carries the whole reply of the route.
  useTopic<Overview>('stats', stats => queries.setQueryData(keyOf(read), stats))
  const calls = useRead(readOf<SpendSeries>('/series/calls', { step: '10m', from: lastHours(4) }), {
    everyMs: 60_000,
  })
  const steps = fillSteps(calls.data?.series[0]?.points ?? [], lastHours(4))
  return (
    <section className="card card-body overview-figures" aria-label="Event summary">
      <Loaded read={overview} what="The event summary" height={66}>
        {figures => (
          <>
            <Figure name="Spent" value={<Money nano={figures.spent_nano} />}>
              {figures.cap_nano === null
                ? 'no event cap'
                : `${formatShare(figures.spent_nano / figures.cap_nano)} of the ${formatMoney(figures.cap_nano, 'nearest')} cap`}
            </Figure>
            <Figure
              name="Forecast"
              value={figures.forecast === null ? '–' : formatForecast(figures.forecast.mid_nano)}
            >
              {figures.forecast === null
                ? figures.why_no_forecast
                : `${formatForecast(figures.forecast.low_nano)} to ${formatForecast(figures.forecast.high_nano)}${describeCap(figures)}`}
            </Figure>
            <Figure
              name="Calls"
              value={
                <>
                  {formatCount(figures.calls_per_min)} <span className="muted small">/min</span>
                </>
              }
              beside={
                <Sparkline
                  values={steps.map(({ calls: count }) => count)}
                  label="Calls in the last four hours"
                />
              }
            >
              {countOf(figures.running_calls, 'call')} running, {countOf(figures.open_streams, 'stream')}
            </Figure>
            <Figure
              name="Refused"
              value={formatShare(figures.refused_share)}
              beside={
                <Sparkline
                  values={steps.map(({ refused }) => refused)}
                  label="Refused calls in the last four hours"
                  color="var(--series-2)"
                />
              }
            >
              errors {formatShare(figures.errors_share)}
            </Figure>
            <Figure
              name="First token"
              value={figures.first_token_ms.p50 === null ? '–' : formatDuration(figures.first_token_ms.p50)}
            >
              {figures.first_token_ms.p95 === null
                ? 'no recent streamed calls'
                : `p95 ${formatDuration(figures.first_token_ms.p95)}`}
            </Figure>
            <Figure
              name="Log entries"
              value={
                <>
                  {formatCount(figures.entries_per_min)} <span className="muted small">/min</span>
                </>
              }
            >
              {figures.coverage === null
                ? 'by entry time'
                : `cover ${formatShare(figures.coverage)} of spend`}
            </Figure>
          </>
        )}
      </Loaded>
    </section>
  )
}

function Figure({
  name,
  value,
  beside,
  children,
}: {
  readonly name: string
  readonly value: ReactNode
  readonly beside?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div>
      <div className="muted small">{name}</div>
      <div className="row">
        <span className="figure nowrap">{value}</span>
        {beside}
      </div>
      <div className="muted small">{children}</div>
    </div>
  )
}

function describeCap({ cap_nano: cap, forecast }: Overview): string {
  if (cap === null || forecast === null) return ''
  return forecast.high_nano > cap ? ' · over the cap' : ' · within the cap'
}

const stepMs = 600_000
const shownSteps = 24

/** Adds the steps without calls, which a series leaves out. */
function fillSteps(
  points: SpendSeries['series'][number]['points'],
  from: string,
): readonly { readonly calls: number; readonly refused: number }[] {
  const known = new Map(points.map(point => [Date.parse(point.at), point]))
  const start = Date.parse(from)
  return Array.from(
    { length: shownSteps },
    (_, index) => known.get(start + (index + 1) * stepMs) ?? { calls: 0, refused: 0 },
  )
}

/** Start of the last hours, rounded to ten minutes so that the query key stays the same for a while. */
export function lastHours(hours: number): string {
  return new Date(Math.floor(Date.now() / stepMs) * stepMs - hours * 3_600_000).toISOString()
}
