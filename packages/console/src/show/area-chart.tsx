// Area chart over time with a forecast and a few marks.

import { useMemo } from 'react'
import { formatTick } from '../format/time.ts'
import { useWidth } from './use-width.ts'
import { useZone } from './zone-context.tsx'

export type ChartPoint = { readonly at: number; readonly value: number }
export type ChartMark = { readonly at: number; readonly label: string }

const size = { height: 240, left: 56, right: 16, top: 14, bottom: 24 }

/**
 * Plain SVG: a few hundred points at most, already aggregated by the server. `forecast` is dashed. `summary` is the text for screen readers.
 */
export function AreaChart({
  points,
  forecast = [],
  band = [],
  marks = [],
  ceiling,
  isOver = false,
  from,
  until,
  formatValue,
  summary,
  height = size.height,
}: {
  readonly points: readonly ChartPoint[]
  readonly forecast?: readonly ChartPoint[]
  /** Low and high of a range at each time. */
  readonly band?: readonly { readonly at: number; readonly low: number; readonly high: number }[]
  readonly marks?: readonly ChartMark[]
  readonly ceiling?: { readonly value: number; readonly label: string }
  /** True if the forecast goes over the limit. */
  readonly isOver?: boolean
  readonly from: number
  readonly until: number
  readonly formatValue: (value: number) => string
  readonly summary: string
  readonly height?: number
}) {
  const zone = useZone()
  const { ref, width } = useWidth()
  const scale = useMemo(() => {
    const values = [...points, ...forecast].map(({ value }) => value)
    const highest = Math.max(1, ...values, ...band.map(({ high }) => high), ceiling?.value ?? 0)
    const steps = niceSteps(highest)
    const top = steps.at(-1) ?? highest
    const x = (at: number) =>
      size.left + ((at - from) / Math.max(1, until - from)) * (width - size.left - size.right)
    const y = (value: number) => height - size.bottom - (value / top) * (height - size.top - size.bottom)
    return { steps, x, y }
  }, [points, forecast, band, ceiling, from, until, height, width])
  const { steps, x, y } = scale
  const line = (list: readonly ChartPoint[]) =>
    list.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
  const first = points[0]
  const last = points.at(-1)
  const base = height - size.bottom
  return (
    <div ref={ref} style={{ height }}>
      {width === 0 ? null : (
        <svg className="chart" width={width} height={height} role="img" aria-label={summary}>
          {steps.map(value => (
            <g key={value}>
              <line x1={size.left} x2={width - size.right} y1={y(value)} y2={y(value)} stroke="var(--hair)" />
              <text className="axis" x={size.left - 8} y={y(value) + 4} textAnchor="end">
                {formatValue(value)}
              </text>
            </g>
          ))}
          {timeSteps(from, until, Math.max(2, Math.floor(width / 90))).map(at => (
            <text key={at} className="axis" x={x(at)} y={height - 6} textAnchor="middle">
              {formatTick(at, zone)}
            </text>
          ))}
          {ceiling === undefined ? null : (
            <g>
              <line
                x1={size.left}
                x2={width - size.right}
                y1={y(ceiling.value)}
                y2={y(ceiling.value)}
                stroke="var(--bad)"
                strokeDasharray="5 4"
              />
              <text
                className="axis"
                x={size.left + 6}
                y={y(ceiling.value) - 5}
                style={{ fill: 'var(--bad)' }}
              >
                {ceiling.label}
              </text>
            </g>
          )}
          {first === undefined || last === undefined ? null : (
            <>
              <polygon
                points={`${x(first.at)},${base} ${line(points)} ${x(last.at)},${base}`}
                fill="var(--series-1)"
                opacity="0.14"
              />
              <polyline
                points={line(points)}
                fill="none"
                stroke="var(--series-1)"
                strokeWidth="2"
                strokeLinejoin="round"
              />
              <circle cx={x(last.at)} cy={y(last.value)} r="3.5" fill="var(--series-1)" />
            </>
          )}
          {band.length === 0 ? null : (
            <polygon
              points={[
                ...band.map(({ at, high }) => `${x(at)},${y(high)}`),
                ...[...band].reverse().map(({ at, low }) => `${x(at)},${y(low)}`),
              ].join(' ')}
              fill="var(--series-1)"
              opacity="0.12"
            />
          )}
          {forecast.length === 0 ? null : (
            <polyline
              points={line(forecast)}
              fill="none"
              stroke={isOver ? 'var(--bad)' : 'var(--series-1)'}
              strokeWidth="2"
              strokeDasharray="4 4"
            />
          )}
          {marks.map(({ at, label }) => (
            <g key={`${label}${at}`}>
              <line
                x1={x(at)}
                x2={x(at)}
                y1={size.top}
                y2={base}
                stroke="var(--control)"
                strokeDasharray="3 3"
              />
              <text className="axis" x={x(at) + 5} y={size.top + 8}>
                {label}
              </text>
            </g>
          ))}
        </svg>
      )}
    </div>
  )
}

/** Returns four or five round values from zero to at least `highest`. */
export function niceSteps(highest: number): number[] {
  const rough = highest / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map(factor => factor * power).find(each => each >= rough) ?? power * 10
  return Array.from({ length: Math.ceil(highest / step - 1e-9) + 1 }, (_, index) => index * step)
}

/** Returns at most `most` round times. */
export function timeSteps(from: number, until: number, most = 7): number[] {
  const minute = 60_000
  const choices = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080].map(
    count => count * minute,
  )
  const step = choices.find(each => (until - from) / each <= most) ?? choices.at(-1) ?? minute
  const first = Math.ceil(from / step) * step
  return Array.from(
    { length: Math.max(0, Math.floor((until - first) / step) + 1) },
    (_, index) => first + index * step,
  )
}
