// Shows an instant in the event's zone. Hover and focus show the reader's own zone, UTC and the exact instant.
import { Tooltip } from '@mantine/core'
import { describeInstant, formatAgo, formatMoment } from '../format/time.ts'
import { useServerNow } from '../live/live-context.tsx'
import { ownZone, useZone } from './zone-context.tsx'

export type MomentProps = {
  /** ISO 8601; null if it has not happened. */
  readonly at: string | null
  /** `ago`: relative below an hour. `clock`: with seconds. `moment`: to the minute. All name the day if it is not today. */
  readonly as?: 'ago' | 'clock' | 'moment'
  /** Shown for null. */
  readonly none?: string
  readonly className?: string
}

export function Moment({ at, as = 'moment', none = '–', className = '' }: MomentProps) {
  const now = useServerNow(10_000)
  const zone = useZone()
  if (at === null) return <span className={`faint nowrap ${className}`}>{none}</span>
  const instant = Date.parse(at)
  const text =
    as === 'ago'
      ? formatAgo(instant, now, zone)
      : as === 'clock'
        ? formatMoment(instant, now, zone, true)
        : formatMoment(instant, now, zone)
  return (
    <Tooltip label={describeInstant(instant, zone, ownZone)} multiline classNames={{ tooltip: 'instant' }}>
      <time dateTime={at} className={`nowrap ${className}`}>
        {text}
      </time>
    </Tooltip>
  )
}
