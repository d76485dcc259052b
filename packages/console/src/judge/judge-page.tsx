// Root of the judge's page: signs in first, then shows the teams. When the session ends, the page stays and asks to sign in again.
import type { AdminSession } from '@fairgate/contracts/management/access.ts'
import { Button } from '@mantine/core'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect } from 'react'
import { HotkeysProvider } from '../frame/hotkeys.tsx'
import { PageWaiting, usePageSession } from '../frame/use-page-session.tsx'
import { usePageParts } from '../live/live-context.tsx'
import { SessionSourceContext } from '../session/session-source.tsx'
import { Dialog } from '../show/dialog.tsx'
import { ForeignText } from '../show/foreign.tsx'
import { Empty } from '../show/states.tsx'
import { Toaster } from '../show/toaster.tsx'
import { CiteButton } from './citations.tsx'
import { judgeSessions } from './judge-sessions.ts'
import { JudgeSignIn } from './judge-sign-in.tsx'
import { QueueProvider, useQueue } from './queue-context.tsx'
import { judgeRouter } from './router.tsx'
import { ScoringProvider } from './scoring/scoring-provider.tsx'

const sessions = {
  ...judgeSessions,
  renderEntryTools: (_team: string, seq: number) => <CiteButton seq={seq} />,
}

const isLink = () => location.hash.startsWith('#code=')

export function JudgePage() {
  const { state, enter } = usePageSession<AdminSession>('/session', isLink)
  const shown = state.kind === 'signed in' ? state.session : null
  useLaterLinks()
  const signIn = (session: AdminSession) => {
    // Nothing of one judge may stay on another judge's screen, or be sent in that judge's name.
    if (shown !== null && shown.judge_id !== session.judge_id) location.reload()
    else enter(session)
  }
  if (state.kind === 'asking') return <PageWaiting failure={null} />
  if (state.kind === 'failed') return <PageWaiting failure={state.message} />
  if (shown === null || state.kind === 'nobody') return <JudgeSignIn onSignedIn={signIn} />
  if (shown.role !== 'panel_judge') return <OtherRole session={shown} />
  return (
    <SessionSourceContext.Provider value={sessions}>
      <HotkeysProvider>
        <Toaster>
          <QueueProvider>
            <Teams isPaused={state.hasEnded} />
          </QueueProvider>
        </Toaster>
        {state.hasEnded ? (
          <Dialog title="Your session has ended" size={480} onClose={() => undefined} isKept>
            <p className="muted">Nothing you typed was lost. Sign in again to continue.</p>
            <JudgeSignIn onSignedIn={signIn} />
          </Dialog>
        ) : null}
      </HotkeysProvider>
    </SessionSourceContext.Provider>
  )
}

function Teams({ isPaused }: { readonly isPaused: boolean }) {
  const { judge } = useQueue()
  return (
    <ScoringProvider key={judge.judge_id} judgeId={judge.judge_id} isPaused={isPaused}>
      <RouterProvider router={judgeRouter} />
    </ScoringProvider>
  )
}

/** A browser loads nothing when only the part after `#` changes, as for a claim link that is opened in the tab of this page. */
function useLaterLinks(): void {
  useEffect(() => {
    const reload = () => {
      if (isLink()) location.reload()
    }
    addEventListener('hashchange', reload)
    return () => removeEventListener('hashchange', reload)
  }, [])
}

/** The console's sign-in is shared with this page, as both are on one door. */
function OtherRole({ session: { name, role } }: { readonly session: AdminSession }) {
  const { send } = usePageParts()
  const signOut = async () => {
    await send('DELETE', '/session').catch(() => undefined)
    location.reload()
  }
  return (
    <main>
      <Empty
        action={
          <div className="row wrap">
            <Button component="a" href="/console" variant="default">
              Open the console
            </Button>
            <Button onClick={() => void signOut()}>Sign out</Button>
          </div>
        }
      >
        <h1>This page is for judges with a claim link</h1>
        <p>
          You are signed in as <ForeignText text={name} most={60} /> ({role.replaceAll('_', ' ')}). Sign out
          here, and open your claim link.
        </p>
      </Empty>
    </main>
  )
}
