// Root of the team page: signs in first, then shows the team. When the session ends, the page stays and asks to sign in again.

import type { Self } from '@fairgate/contracts/console/self.ts'
import { useQueryClient } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import { keyOf, readOf } from '../api/use-read.ts'
import { PageWaiting, usePageSession } from '../frame/use-page-session.tsx'
import { HeldKeyContext } from './held-key.tsx'
import { teamRouter } from './router.tsx'
import { SelfProvider } from './self-context.tsx'
import type { SignedIn } from './sign-in.tsx'

// Lazy, because someone who is already signed in needs neither.
const TeamSignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).TeamSignIn }))
const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }))

export function TeamPage() {
  const queries = useQueryClient()
  const { state, enter } = usePageSession<unknown>('/self', () => location.hash.startsWith('#once='))
  const [key, setKey] = useState<string | null>(null)
  const held = useMemo(() => ({ key, hold: setKey }), [key])

  const signIn: SignedIn = (session, typed) => {
    const shown = queries.getQueryData<Self>(keyOf(readOf('/self')))
    // No data of one team may stay on another team's screen.
    if (shown !== undefined && shown.team.team_id !== session.team_id) queries.clear()
    setKey(typed)
    if (location.pathname === '/sign-in') void teamRouter.navigate({ to: '/', replace: true })
    enter(session)
  }

  if (state.kind === 'asking') return <PageWaiting failure={null} />
  if (state.kind === 'failed') return <PageWaiting failure={state.message} />
  if (state.kind === 'nobody')
    return (
      <Suspense fallback={null}>
        <TeamSignIn onSignedIn={signIn} />
      </Suspense>
    )
  return (
    <HeldKeyContext.Provider value={held}>
      <SelfProvider>
        <RouterProvider router={teamRouter} />
      </SelfProvider>
      {state.hasEnded ? (
        <Suspense fallback={null}>
          <SignInAgain onSignedIn={signIn} />
        </Suspense>
      ) : null}
    </HeldKeyContext.Provider>
  )
}
