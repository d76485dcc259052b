// Shows whether the data is live, or how old it is.
import { Button } from '@mantine/core'
import { formatDuration } from '../format/time.ts'
import { useLiveState, usePageParts, useServerNow } from '../live/live-context.tsx'

export function LiveDot() {
  const { kind, heardAt } = useLiveState()
  useServerNow(1000)
  if (kind === 'off') return null
  const age = heardAt === null ? null : formatDuration(Math.floor((Date.now() - heardAt) / 1000) * 1000)
  const text =
    kind === 'live'
      ? 'Live'
      : kind === 'connecting'
        ? 'Connecting'
        : `Stale${age === null ? '' : `, ${age} old`}`
  return (
    <span className="row small nowrap" role="status" aria-live="off" data-live={kind}>
      <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden>
        {kind === 'live' ? (
          <circle cx="5" cy="5" r="4" fill="var(--fill-ok)" />
        ) : kind === 'connecting' ? (
          <circle
            cx="5"
            cy="5"
            r="3.5"
            fill="none"
            stroke="var(--control)"
            strokeDasharray="2 1.5"
            strokeWidth="1.5"
          />
        ) : (
          <path d="M5 1l4.5 8h-9z" fill="var(--fill-warn)" />
        )}
      </svg>
      {text}
    </span>
  )
}

/** Notice above the content while the connection is lost. The data stays visible with its age. */
export function StaleNotice() {
  const { live } = usePageParts()
  const { kind, heardAt } = useLiveState()
  useServerNow(1000)
  if (kind !== 'stale') return null
  const age =
    heardAt === null ? 'not live' : `${formatDuration(Math.floor((Date.now() - heardAt) / 1000) * 1000)} old`
  return (
    <div className="notice" data-tone="warn" role="alert">
      <span className="grow">Connection lost. This data is {age}. Trying to reconnect.</span>
      <Button variant="default" size="xs" onClick={() => live.retry()}>
        Try now
      </Button>
    </div>
  )
}
