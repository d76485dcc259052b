// Shown to judges who cannot use the console: those of the panel, and the holder of a judge's key while judging is blind.
import type { AdminSession } from '@fairgate/contracts/management/access.ts'
import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { usePageParts } from '../live/live-context.tsx'
import { BrandSign } from '../show/brand.tsx'
import { ForeignName } from '../show/foreign.tsx'

export function JudgesElsewhere({ session: { name, role } }: { readonly session: AdminSession }) {
  const { send } = usePageParts()
  useEffect(() => {
    document.title = 'Judging · Fairgate'
  }, [])
  const signOut = async () => {
    await send('DELETE', '/session')
    location.assign('/console/sign-in')
  }
  return (
    <main className="sign-in">
      <div className="stack">
        <BrandSign size={36} />
        <h1>{role === 'panel_judge' ? 'Your page is elsewhere' : 'Judging is blind'}</h1>
        <p>
          {role === 'panel_judge'
            ? 'You are signed in with a claim link. Judges read and score on a page of their own.'
            : 'This console shows the names of teams and people, so the key of a judge opens nothing here for as long as judging is blind. Read and score with your claim link. If you have none, ask the organisers for one.'}
        </p>
        <div className="row wrap">
          <Button component="a" href="/judging">
            Go to the judges’ page
          </Button>
          <Button variant="default" onClick={() => void signOut()}>
            Sign out
          </Button>
        </div>
        <p className="muted small">
          Signed in as <ForeignName name={name} />
        </p>
      </div>
    </main>
  )
}
