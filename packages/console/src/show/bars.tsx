// Bars for how full a budget or limit is, and for shares of a total. The held part is striped, so that it differs from used without colour.
import { useId } from 'react'
import { formatMoney } from '../format/money.ts'
import { formatShare } from '../format/number.ts'

export type BarTone = 'normal' | 'warn' | 'bad'

const fills: Readonly<Record<BarTone, string>> = {
  normal: 'var(--series-1)',
  warn: 'var(--fill-warn)',
  bad: 'var(--fill-bad)',
}

/** Used and held parts of a limit. `label` is the text for screen readers. */
export function UseBar({
  used,
  held = 0,
  limit,
  tone,
  label,
  height = 8,
}: {
  readonly used: number
  readonly held?: number
  readonly limit: number
  readonly tone?: BarTone
  readonly label: string
  readonly height?: number
}) {
  const pattern = useId()
  const share = (value: number) => (limit <= 0 ? 100 : Math.max(0, Math.min(100, (value / limit) * 100)))
  const usedPercent = share(used)
  const heldPercent = Math.min(100 - usedPercent, share(held))
  const shown = tone ?? (used >= limit ? 'bad' : used >= limit * 0.9 ? 'warn' : 'normal')
  return (
    <svg className="bar-svg" style={{ height }} role="img" aria-label={label} preserveAspectRatio="none">
      <defs>
        <pattern
          id={pattern}
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="3" height="6" fill="var(--held)" />
        </pattern>
      </defs>
      <rect width="100%" height="100%" fill="var(--sunken)" />
      <rect width={`${usedPercent}%`} height="100%" fill={fills[shown]} />
      <rect x={`${usedPercent}%`} width={`${heldPercent}%`} height="100%" fill={`url(#${pattern})`} />
      <rect
        x="0.5"
        y="0.5"
        width="calc(100% - 1px)"
        height={height - 1}
        rx="3.5"
        fill="none"
        stroke="var(--line)"
      />
    </svg>
  )
}

/** A team's budget. `budgetNano` is null if it has none. */
export function BudgetBar({
  spentNano,
  heldNano,
  budgetNano,
}: {
  readonly spentNano: number
  readonly heldNano: number
  readonly budgetNano: number | null
}) {
  if (budgetNano === null) return <span className="faint small">no budget</span>
  const held = heldNano > 0 ? `, ${formatMoney(heldNano)} held by running calls` : ''
  return (
    <UseBar
      used={spentNano}
      held={heldNano}
      limit={budgetNano}
      label={`${formatMoney(spentNano)} of ${formatMoney(budgetNano, 'nearest')} spent${held}`}
    />
  )
}

export type Share = {
  readonly id: string
  readonly name: React.ReactNode
  readonly value: number
  readonly shown: string
  /** A few words in small print after the name. */
  readonly note?: React.ReactNode
}

/** Bars with each value and its share of `total`. Lengths are relative to the largest value. */
export function ShareBars({
  shares,
  total,
  color = 'var(--series-1)',
}: {
  readonly shares: readonly Share[]
  readonly total: number
  readonly color?: string
}) {
  const most = Math.max(1, ...shares.map(({ value }) => value))
  return (
    <ul className="stack">
      {shares.map(({ id, name, value, shown, note }) => (
        <li key={id}>
          <div className="row-between">
            <span className="cut grow">
              {name} {note === undefined ? null : <span className="faint small">{note}</span>}
            </span>
            <span className="nowrap">
              <span className="strong">{shown}</span>{' '}
              <span className="faint small">{total > 0 ? formatShare(value / total) : ''}</span>
            </span>
          </div>
          <svg className="bar-svg" style={{ height: 6 }} aria-hidden preserveAspectRatio="none">
            <rect width="100%" height="100%" fill="var(--sunken)" />
            <rect width={`${(value / most) * 100}%`} height="100%" fill={color} />
          </svg>
        </li>
      ))}
    </ul>
  )
}
