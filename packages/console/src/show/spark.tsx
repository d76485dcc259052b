// Sparkline: a small line chart without axes.

export function Sparkline({
  values,
  label,
  color = 'var(--series-1)',
  width = 96,
  height = 22,
}: {
  readonly values: readonly number[]
  /** The text for screen readers. */
  readonly label: string
  readonly color?: string
  readonly width?: number
  readonly height?: number
}) {
  const most = Math.max(...values, 0)
  const step = values.length > 1 ? (width - 4) / (values.length - 1) : 0
  const points = values.map((value, index) => {
    const y = most === 0 ? height - 2 : height - 2 - (value / most) * (height - 5)
    return `${(2 + index * step).toFixed(1)},${y.toFixed(1)}`
  })
  const last = points.at(-1)?.split(',')
  return (
    <svg width={width} height={height} role="img" aria-label={label}>
      {points.length === 0 ? null : (
        <>
          <polygon
            points={`2,${height - 1} ${points.join(' ')} ${width - 2},${height - 1}`}
            fill={color}
            opacity="0.15"
          />
          <polyline points={points.join(' ')} fill="none" stroke={color} strokeWidth="1.4" />
          <circle cx={last?.[0]} cy={last?.[1]} r="2" fill={color} />
        </>
      )}
    </svg>
  )
}
