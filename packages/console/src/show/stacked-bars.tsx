// Stacked bars over time, for example refused calls by cause.

import { formatTick } from '../format/time.ts'
import { niceSteps, timeSteps } from './area-chart.tsx'
import { useWidth } from './use-width.ts'
import { useZone } from './zone-context.tsx'

export type StackSeries = {
  readonly id: string
  readonly label: string
  readonly color: string
  /** Values by the start time of their step. */
  readonly values: ReadonlyMap<number, number>
}

const size = { left: 34, right: 8, top: 10, bottom: 24 }
/** Of a digit on the axis, in pixels. */
const digitWidth = 7
/** Half the width of a time label below the axis. */
const halfLabel = 18
export function StackedBars({
  series,
  from,
  until,
  stepMs,
  summary,
  height = 200,
  formatValue = String,
}: {
  readonly series: readonly StackSeries[]
  readonly from: number
  readonly until: number
  readonly stepMs: number
  readonly summary: string
  readonly height?: number
  readonly formatValue?: (value: number) => string
}) {
  const zone = useZone()
  const { ref, width: all } = useWidth()
  const count = Math.max(1, Math.round((until - from) / stepMs))
  const times = Array.from({ length: count }, (_, index) => from + index * stepMs)
  const totals = times.map(at => series.reduce((sum, { values }) => sum + (values.get(at) ?? 0), 0))
  const steps = niceSteps(Math.max(4, ...totals))
  const top = steps.at(-1) ?? 1
  const labels = steps.map(formatValue)
  const left = Math.max(size.left, 8 + digitWidth * Math.max(...labels.map(({ length }) => length)))
  const width = Math.max(0, all - left - size.right) / count
  const x = (at: number) => left + ((at - from) / (until - from)) * (all - left - size.right)
  const scale = (height - size.top - size.bottom) / top
  const base = height - size.bottom
  return (
    <div ref={ref}>
      <svg className="chart" width={all} height={height} role="img" aria-label={summary}>
        {steps.map((value, index) => (
          <g key={value}>
            <line
              x1={left}
              x2={all - size.right}
              y1={base - value * scale}
              y2={base - value * scale}
              stroke="var(--hair)"
            />
            <text className="axis" x={left - 6} y={base - value * scale + 4} textAnchor="end">
              {labels[index]}
            </text>
          </g>
        ))}
        {timeSteps(from, until, Math.max(2, Math.floor(all / 90))).map(at => (
          <text
            key={at}
            className="axis"
            x={Math.min(x(at), all - size.right)}
            y={height - 6}
            textAnchor={x(at) > all - size.right - halfLabel ? 'end' : 'middle'}
          >
            {formatTick(at, zone)}
          </text>
        ))}
        {times.map(at => {
          let below = 0
          return series.map(({ id, color, values }) => {
            const value = values.get(at) ?? 0
            if (value === 0) return null
            const y = base - (below + value) * scale
            below += value
            return (
              <rect
                key={`${id}${at}`}
                x={x(at) + width * 0.1}
                y={y}
                width={Math.max(1, width * 0.8)}
                height={Math.max(0.5, value * scale - 0.6)}
                fill={color}
              />
            )
          })
        })}
      </svg>
      <ul className="row wrap small">
        {series.map(({ id, label, color }) => (
          <li key={id} className="row">
            <svg width="10" height="10" aria-hidden>
              <rect width="10" height="10" rx="2" fill={color} />
            </svg>
            {label}
          </li>
        ))}
      </ul>
    </div>
  )
}
