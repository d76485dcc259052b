// Shows how much of the budget is left and whether it will last.
import type { SpendSeries } from '@fairgate/contracts/spend/spend-report.ts'
import { useState } from 'react'
import { readOf, useRead } from '../../api/use-read.ts'
import { formatAxisMoney, formatBudget, formatMoney } from '../../format/money.ts'
import { formatCount } from '../../format/number.ts'
import { formatClock } from '../../format/time.ts'
import { usePageParts } from '../../live/live-context.tsx'
import { AreaChart } from '../../show/area-chart.tsx'
import { Badge } from '../../show/badge.tsx'
import { UseBar } from '../../show/bars.tsx'
import { useZone } from '../../show/zone-context.tsx'
import { countMoreCalls, judgeBudget, traceLeft } from '../read-self.ts'
import { useSelf } from '../self-context.tsx'
import { TeamLink } from '../team-link.tsx'
import { newestCallsRead } from './newest-calls.tsx'

export function BudgetCard() {
  const { budget, phase } = useSelf()
  const zone = useZone()
  const { budget_nano: whole, spent_nano: spent, held_nano: held } = budget
  const verdict = judgeBudget(budget, phase.gateway, at => formatClock(at, zone, false))
  const shown = whole === null ? null : formatBudget(spent, whole)
  return (
    <section className="card card-body" aria-label="Budget">
      <div className="muted">{whole === null ? 'Spent' : 'Budget left'}</div>
      <div className="row-between wrap team-left">
        <span>
          <span className="team-money">{shown === null ? formatMoney(spent) : shown.left}</span>{' '}
          {shown === null ? null : <span className="muted team-of">of {shown.budget}</span>}
        </span>
        <Badge tone={verdict.tone}>{verdict.text}</Badge>
      </div>
      {whole === null || shown === null ? null : (
        <>
          <UseBar
            used={spent}
            held={held}
            limit={whole}
            height={10}
            label={`${shown.spent} of ${shown.budget} spent, ${formatMoney(held)} held`}
          />
          <div className="small team-spent">
            {shown.spent} spent{' '}
            {budget.granted_nano > 0 ? (
              <span className="muted">· {formatMoney(budget.granted_nano)} granted by the organisers </span>
            ) : null}
            {held > 0 ? <span className="tone-held">{formatMoney(held)} held by running calls</span> : null}
            <MoreCalls left={whole - spent} />
            {shown.over === null ? null : <span className="tone-bad"> over by {shown.over}</span>}
          </div>
          {whole > spent ? null : (
            <p data-spent>
              Your budget is spent. Calls are refused until the organisers grant more.{' '}
              <TeamLink href="/ask">Ask for more</TeamLink>
            </p>
          )}
          <BurnDown />
        </>
      )}
    </section>
  )
}

/** The budget that is left, expressed as a number of calls like the most recent ones. */
function MoreCalls({ left }: { readonly left: number }) {
  const calls = useRead(newestCallsRead)
  const more = calls.data === undefined ? null : countMoreCalls(left, calls.data.items)
  return more === null ? null : (
    <span className="muted">· about {formatCount(more)} more calls like your recent ones</span>
  )
}

function BurnDown() {
  const { budget, phase } = useSelf()
  const { live } = usePageParts()
  const [openedAt] = useState(() => Math.floor(live.serverNow() / 60_000) * 60_000)
  const from = phase.from === null ? openedAt - 6 * 3_600_000 : Date.parse(phase.from)
  const until = phase.until === null ? openedAt : Date.parse(phase.until)
  const step = openedAt - from > 8 * 3_600_000 ? '30m' : '10m'
  const stepMs = step === '30m' ? 1_800_000 : 600_000
  const series = useRead(readOf<SpendSeries>('/self/series', { from: new Date(from).toISOString(), step }))
  if (series.data === undefined || budget.left_nano === null) return <div style={{ height: 160 }} />
  const points = (series.data.series[0]?.points ?? []).map(({ at, cost_nano }) => ({
    at: Date.parse(at),
    cost: cost_nano,
  }))
  const now = Math.max(openedAt, ...points.map(({ at }) => at + 1))
  const line = traceLeft(points, budget.left_nano, { from, now, stepMs })
  const last = line.at(-1)
  const end = forecastEnd(budget, now, until)
  return (
    <AreaChart
      points={line}
      from={from}
      until={Math.max(until, now)}
      forecast={last === undefined || end === null ? [] : [last, end]}
      isOver={end?.value === 0}
      marks={until > now ? [{ at: now, label: 'now' }] : []}
      formatValue={formatAxisMoney}
      summary={`${formatMoney(budget.left_nano, 'down')} left`}
      height={160}
    />
  )
}

/** The end of the forecast line, at the pace of the last hour. */
function forecastEnd(
  {
    left_nano: left,
    pace_nano_h: pace,
  }: { readonly left_nano: number | null; readonly pace_nano_h: number | null },
  now: number,
  until: number,
): { readonly at: number; readonly value: number } | null {
  if (left === null || pace === null || until <= now) return null
  const dryAt = pace === 0 ? until : now + (left / pace) * 3_600_000
  return dryAt < until
    ? { at: dryAt, value: 0 }
    : { at: until, value: left - (pace * (until - now)) / 3_600_000 }
}
