// Placeholders for content that is loading, empty, failed or not allowed.
import { Button } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { RequestFailure } from '../api/request.ts'

/** Blocks with the height of the expected content; invisible for the first 200 ms. */
export function Skeleton({
  height = 18,
  lines = 1,
}: {
  readonly height?: number | undefined
  readonly lines?: number | undefined
}) {
  return (
    <div className="stack" aria-busy="true">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: equal blocks that never move.
        <div key={index} className="skeleton" style={{ height }} />
      ))}
    </div>
  )
}

/** After this long without an answer the reader sees a notice and can retry. */
const patienceMs = 10_000

/** Blocks while data loads; after ten seconds also a notice that no answer has come yet. */
export function Waiting({
  what,
  retry,
  ...blocks
}: Parameters<typeof Skeleton>[0] & { readonly what: string; readonly retry: () => void }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (isLate) return
    const timer = setTimeout(() => setLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [isLate])
  return (
    <div className="stack">
      {isLate ? (
        <div className="notice" data-tone="warn" role="alert">
          <span className="grow">{what} is still loading. The server has not answered yet.</span>
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              setLate(false)
              retry()
            }}
          >
            Try again
          </Button>
        </div>
      ) : null}
      <Skeleton {...blocks} />
    </div>
  )
}

/** Says why there is nothing. `action`: the next step. */
export function Empty({ children, action }: { readonly children: ReactNode; readonly action?: ReactNode }) {
  return (
    <div className="empty">
      <div>{children}</div>
      {action}
    </div>
  )
}

/** Error of one part of the page; the other parts keep working. */
export function PartError({
  what,
  failure,
  retry,
}: {
  /** For example "The spend chart". */
  readonly what: string
  readonly failure: RequestFailure
  readonly retry?: () => void
}) {
  if (failure.status === 403) return <Empty>{failure.message}</Empty>
  return (
    <div className="notice" data-tone="bad" role="alert">
      <TriangleAlert size={18} aria-hidden color="var(--fill-bad)" />
      <div className="grow">
        <div>
          {what} could not be loaded. {failure.message}
        </div>
        <div className="small muted">
          {failure.status === 0 ? null : `${failure.status} `}
          <code>{failure.code}</code>
          {failure.callId === null ? null : ` · call id ${failure.callId}`}
        </div>
      </div>
      {retry === undefined ? null : (
        <Button variant="default" size="xs" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

export type Shown<Reply> = {
  readonly data: Reply | undefined
  readonly error: RequestFailure | null
  readonly refetch: () => unknown
}

/** Shows the placeholder, the error or the content. Content stays visible while it reloads. */
export function Loaded<Reply>({
  read,
  what,
  height,
  lines,
  children,
}: {
  readonly read: Shown<Reply>
  readonly what: string
  readonly height?: number | undefined
  readonly lines?: number | undefined
  readonly children: (reply: Reply) => ReactNode
}) {
  if (read.data !== undefined) return children(read.data)
  if (read.error !== null)
    return <PartError what={what} failure={read.error} retry={() => void read.refetch()} />
  return <Waiting what={what} retry={() => void read.refetch()} height={height} lines={lines} />
}
