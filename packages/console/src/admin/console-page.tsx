// Shows the sign-in screen, then the console. When the session ends, the page stays as it is and a dialog asks to sign in again.

import { topicOpenTo } from '@fairgate/contracts/console/topics.ts'
import type { AdminSession } from '@fairgate/contracts/management/access.ts'
import { rolesOf } from '@fairgate/contracts/management/roles.ts'
import { RouterProvider } from '@tanstack/react-router'
import { useCallback } from 'react'
import { HotkeysProvider } from '../frame/hotkeys.tsx'
import { PageWaiting, usePageSession } from '../frame/use-page-session.tsx'
import { MayFollowContext } from '../live/live-context.tsx'
import { SessionSourceContext } from '../session/session-source.tsx'
import { Dialog } from '../show/dialog.tsx'
import { Toaster } from '../show/toaster.tsx'
import { JudgesElsewhere } from './judges-elsewhere.tsx'
import { createConsoleRouter } from './router.tsx'
import { SessionContext } from './session-context.tsx'
import { consoleSessions } from './session-source.ts'
import { SignInScreen } from './sign-in-screen.tsx'

const router = createConsoleRouter()

export function ConsolePage() {
  const { state, enter } = usePageSession<AdminSession>(
    '/session',
    () => location.pathname === '/console/sign-in' && location.hash.startsWith('#once='),
  )
  const signIn = (session: AdminSession) => {
    if (location.pathname === '/console/sign-in') void router.navigate({ to: '/console', replace: true })
    enter(session)
  }
  const role = state.kind === 'signed in' ? state.session.role : null
  const mayFollow = useCallback(
    (topic: string) => role !== null && rolesOf[topicOpenTo(topic)].includes(role),
    [role],
  )
  if (state.kind === 'asking') return <PageWaiting failure={null} />
  if (state.kind === 'failed') return <PageWaiting failure={state.message} />
  if (state.kind === 'nobody') return <SignInScreen onSignedIn={signIn} />
  const { session } = state
  if (session.role === 'panel_judge' || (session.role === 'judge' && session.blind))
    return <JudgesElsewhere session={session} />
  return (
    <SessionContext.Provider value={session}>
      <MayFollowContext.Provider value={mayFollow}>
        <HotkeysProvider>
          <Toaster>
            <SessionSourceContext.Provider value={consoleSessions}>
              <RouterProvider router={router} />
            </SessionSourceContext.Provider>
          </Toaster>
          {state.hasEnded ? (
            <Dialog title="Your session has ended" size={480} onClose={() => undefined} isKept>
              <p className="muted">Nothing you typed was lost. Sign in again to continue.</p>
              <SignInScreen onSignedIn={signIn} />
            </Dialog>
          ) : null}
        </HotkeysProvider>
      </MayFollowContext.Provider>
    </SessionContext.Provider>
  )
}
