// What a part shows while it has nothing: it loads, is empty, failed, or may not be seen.
import { Button } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { RequestFailure } from '../api/request.ts'

/** Blocks of the height that the content will have; nothing for the first 200 ms. */
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

/** Longer than this without an answer: the reader is told, and can ask again. */
const patienceMs = 10_000

/** Blocks while something is read; after a while also that no answer has come yet. */
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
          <span className="grow">{what} is still loading: the server has not answered yet.</span>
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

/** Why there is nothing, and the next step. */
export function Empty({ children, action }: { readonly children: ReactNode; readonly action?: ReactNode }) {
  return (
    <div className="empty">
      <div>{children}</div>
      {action}
    </div>
  )
}

/** Only this part: the others live on. */
export function PartError({
  what,
  failure,
  retry,
}: {
  /** Such as "The spend chart". */
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

/** Loads, fails or shows; what is there stays while it is read again. */
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
