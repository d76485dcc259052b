// Who is there? Signs in first, then shows the page of the team; a session that ends leaves the page and asks to sign in again.

import type { Self, SelfSession } from '@fairgate/contracts/console/self.ts'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { RequestFailure } from '../api/request.ts'
import { keyOf, readOf } from '../api/use-read.ts'
import { signedOut } from '../frame/signed-out.ts'
import { usePageParts } from '../live/live-context.tsx'
import { Empty, Waiting } from '../show/states.tsx'
import { HeldKeyContext } from './held-key.tsx'
import { teamRouter } from './router.tsx'
import { SelfProvider } from './self-context.tsx'

// Whoever is signed in already needs neither.
const TeamSignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).TeamSignIn }))
const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }))

type State =
  | { readonly kind: 'asking' }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'signed in'; readonly hasEnded: boolean }

export function TeamPage() {
  const { send, live } = usePageParts()
  const queries = useQueryClient()
  const [state, setState] = useState<State>({ kind: 'asking' })
  const [key, setKey] = useState<string | null>(null)
  const held = useMemo(() => ({ key, hold: setKey }), [key])

  useEffect(() => {
    if (location.hash.startsWith('#once=')) {
      setState({ kind: 'nobody' })
      return
    }
    send('GET', '/self').then(
      () => setState({ kind: 'signed in', hasEnded: false }),
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

  const enter = ({ team_id: teamId }: SelfSession, typed: string | null) => {
    const shown = queries.getQueryData<Self>(keyOf(readOf('/self')))
    // Nothing of one team may stay on the screen of another.
    if (shown !== undefined && shown.team.team_id !== teamId) queries.clear()
    setKey(typed)
    if (location.pathname === '/sign-in') void teamRouter.navigate({ to: '/', replace: true })
    setState({ kind: 'signed in', hasEnded: false })
    live.wake()
    void queries.invalidateQueries()
  }

  if (state.kind === 'asking') return <Waiting what="The page" retry={() => location.reload()} lines={4} />
  if (state.kind === 'failed')
    return (
      <Empty action={<Button onClick={() => location.reload()}>Try again</Button>}>{state.message}</Empty>
    )
  if (state.kind === 'nobody')
    return (
      <Suspense fallback={null}>
        <TeamSignIn onSignedIn={enter} />
      </Suspense>
    )
  return (
    <HeldKeyContext.Provider value={held}>
      <SelfProvider>
        <RouterProvider router={teamRouter} />
      </SelfProvider>
      {state.hasEnded ? (
        <Suspense fallback={null}>
          <SignInAgain onSignedIn={enter} />
        </Suspense>
      ) : null}
    </HeldKeyContext.Provider>
  )
}
