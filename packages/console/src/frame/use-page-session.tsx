// Tracks the sign-in session of a page: read when the page opens, and ended when a request reports it.
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { RequestFailure } from '../api/request.ts'
import { usePageParts } from '../live/live-context.tsx'
import { Empty, Waiting } from '../show/states.tsx'
import { signedOut } from './signed-out.ts'

type State<Session> =
  | { readonly kind: 'asking' }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'signed in'; readonly session: Session; readonly hasEnded: boolean }

/** `isLink`: true if a sign-in link opened the page, so that the session is not read. */
export function usePageSession<Session>(path: string, isLink: () => boolean) {
  const { send, live } = usePageParts()
  const queries = useQueryClient()
  const [state, setState] = useState<State<Session>>({ kind: 'asking' })

  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, even if the address changes.
  useEffect(() => {
    if (isLink()) {
      setState({ kind: 'nobody' })
      return
    }
    send<Session>('GET', path).then(
      session => setState({ kind: 'signed in', session, hasEnded: false }),
      (error: unknown) =>
        setState(
          error instanceof RequestFailure && error.status === 401
            ? { kind: 'nobody' }
            : { kind: 'failed', message: error instanceof Error ? error.message : String(error) },
        ),
    )
  }, [send])

  useEffect(
    () =>
      signedOut.hear(() => {
        live.sleep()
        setState(now => (now.kind === 'signed in' ? { ...now, hasEnded: true } : now))
      }),
    [live],
  )

  const enter = (session: Session) => {
    setState({ kind: 'signed in', session, hasEnded: false })
    live.wake()
    void queries.invalidateQueries()
  }
  return { state, enter }
}

/** Placeholder until the session is known, or the error if it could not be read. */
export function PageWaiting({ failure }: { readonly failure: string | null }): ReactNode {
  return failure === null ? (
    <Waiting what="The page" retry={() => location.reload()} lines={4} />
  ) : (
    <Empty action={<Button onClick={() => location.reload()}>Try again</Button>}>{failure}</Empty>
  )
}
