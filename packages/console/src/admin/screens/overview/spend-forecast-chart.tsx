// Spend so far and the forecast to the end of the phase.

import type { Overview } from '@fairgate/contracts/console/overview.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import type { SpendSeries } from '@fairgate/contracts/spend/spend-report.ts'
import { SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatAxisMoney, formatForecast, formatMoney } from '../../../format/money.ts'
import { useServerNow } from '../../../live/live-context.tsx'
import { AreaChart, type ChartPoint } from '../../../show/area-chart.tsx'
import { Card } from '../../../show/card.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { chooseStep, stepMs } from '../spend/ranges.ts'

const ranges = { phase: 'Phase', hour: '1 h' } as const

export function SpendForecastChart() {
  const { range = 'phase' } = useSearch({ from: '/console' })
  const navigate = useNavigate({ from: '/console' })
  const now = useServerNow(60_000)
  const event = useRead(readOf<EventRecord>('/event'))
  const overview = useRead(readOf<Overview>('/overview'))
  const phase = event.data?.phases.find(({ name }) => name === event.data?.phase)
  const minute = Math.floor(now / 60_000) * 60_000
  const start =
    range === 'hour' || phase === undefined
      ? // Rounded to the buckets of sums: others ask for the same, and nothing is added up from single calls.
        Math.floor(now / 300_000) * 300_000 - (range === 'hour' ? 1 : 4) * 3_600_000
      : Date.parse(phase.from)
  const step = chooseStep(minute - start)
  const series = useRead(
    readOf<SpendSeries>('/series/spend', { from: new Date(start).toISOString(), step }),
    { everyMs: 30_000, isOff: event.data === undefined },
  )
  const forecast = range === 'hour' ? null : (overview.data?.forecast ?? null)
  return (
    <Card
      title="Spend and forecast"
      action={
        <SegmentedControl
          size="xs"
          aria-label="Time range"
          value={range === 'hour' ? 'hour' : 'phase'}
          onChange={value => void navigate({ search: { range: value === 'phase' ? undefined : value } })}
          data={Object.entries(ranges).map(([value, label]) => ({ value, label }))}
        />
      }
    >
      <Loaded read={series} what="The spend chart" height={240}>
        {reply => {
          const points = accumulate(reply, start, minute, stepMs(step))
          const last = points.at(-1)
          if (last === undefined || last.value === 0) return <Empty>No spend in this range</Empty>
          const end = forecast === null ? null : Date.parse(forecast.until)
          const before = (overview.data?.spent_nano ?? 0) - last.value
          const cap = overview.data?.cap_nano ?? null
          const rise = (nano: number) => Math.max(last.value, nano - before)
          return (
            <AreaChart
              points={points}
              from={start}
              until={end ?? minute}
              forecast={
                forecast === null || end === null ? [] : [last, { at: end, value: rise(forecast.mid_nano) }]
              }
              band={
                forecast === null || end === null
                  ? []
                  : [
                      { at: last.at, low: last.value, high: last.value },
                      { at: end, low: rise(forecast.low_nano), high: rise(forecast.high_nano) },
                    ]
              }
              {...(cap === null || range === 'hour'
                ? {}
                : {
                    ceiling: {
                      value: Math.max(0, cap - before),
                      label: `Event cap ${formatMoney(cap, 'nearest')}`,
                    },
                  })}
              isOver={cap !== null && forecast !== null && forecast.mid_nano > cap}
              marks={end === null ? [] : [{ at: minute, label: 'now' }]}
              formatValue={formatAxisMoney}
              summary={`Spend rose to ${formatMoney(last.value)}${forecast === null ? '' : `; forecast ${formatForecast(forecast.mid_nano)}`}`}
            />
          )
        }}
      </Loaded>
    </Card>
  )
}

function accumulate({ series }: SpendSeries, start: number, now: number, step: number): ChartPoint[] {
  const costs = series[0]?.points.map(({ at, cost_nano }) => ({ at: Date.parse(at), cost: cost_nano })) ?? []
  const points: ChartPoint[] = [{ at: start, value: 0 }]
  let sum = 0
  let next = 0
  for (let at = start + step; at < now + step; at += step) {
    const until = Math.min(at, now)
    while (next < costs.length && (costs[next]?.at ?? 0) < until) {
      sum += costs[next]?.cost ?? 0
      next += 1
    }
    points.push({ at: until, value: sum })
  }
  return points
}
