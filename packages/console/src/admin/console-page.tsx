// Who is there? Signs in first, then shows the console; a session that ends leaves the page as it is and asks to sign in again.

import type { AdminSession } from '@fairgate/contracts/management/access.ts'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { RequestFailure } from '../api/request.ts'
import { HotkeysProvider } from '../frame/hotkeys.tsx'
import { signedOut } from '../frame/signed-out.ts'
import { usePageParts } from '../live/live-context.tsx'
import { Dialog } from '../show/dialog.tsx'
import { Empty, Waiting } from '../show/states.tsx'
import { Toaster } from '../show/toaster.tsx'
import { createConsoleRouter } from './router.tsx'
import { SessionContext } from './session-context.tsx'
import { SignInScreen } from './sign-in-screen.tsx'

const router = createConsoleRouter()

type State =
  | { readonly kind: 'asking' }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'signed in'; readonly session: AdminSession; readonly hasEnded: boolean }

export function ConsolePage() {
  const { send, live } = usePageParts()
  const queries = useQueryClient()
  const [state, setState] = useState<State>({ kind: 'asking' })

  useEffect(() => {
    if (location.pathname === '/console/sign-in' && location.hash.startsWith('#once=')) {
      setState({ kind: 'nobody' })
      return
    }
    send<AdminSession>('GET', '/session').then(
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

  const enter = (session: AdminSession) => {
    if (location.pathname === '/console/sign-in') void router.navigate({ to: '/console', replace: true })
    setState({ kind: 'signed in', session, hasEnded: false })
    live.wake()
    void queries.invalidateQueries()
  }

  if (state.kind === 'asking') return <Waiting what="The page" retry={() => location.reload()} lines={4} />
  if (state.kind === 'failed')
    return (
      <Empty action={<Button onClick={() => location.reload()}>Try again</Button>}>{state.message}</Empty>
    )
  if (state.kind === 'nobody') return <SignInScreen onSignedIn={enter} />
  return (
    <SessionContext.Provider value={state.session}>
      <HotkeysProvider>
        <Toaster>
          <RouterProvider router={router} />
        </Toaster>
        {state.hasEnded ? (
          <Dialog title="Your session has ended" size={480} onClose={() => undefined} isKept>
            <p className="muted">What you typed is still there. Sign in again to go on.</p>
            <SignInScreen onSignedIn={enter} />
          </Dialog>
        ) : null}
      </HotkeysProvider>
    </SessionContext.Provider>
  )
}
