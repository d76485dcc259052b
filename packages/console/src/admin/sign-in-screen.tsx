// Signs in to the console: with an admin key, or by a link that works once.

import type { AdminSession } from '@fairgate/contracts/management/access.ts'
import { Button, PasswordInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { RequestFailure } from '../api/request.ts'
import { usePageParts } from '../live/live-context.tsx'
import { BrandSign } from '../show/brand.tsx'
import { FailureNote } from '../show/failure-note.tsx'

/** `onSignedIn` gets the session; the key is forgotten when this part goes. */
export function SignInScreen({ onSignedIn }: { readonly onSignedIn: (session: AdminSession) => void }) {
  const { send } = usePageParts()
  const [key, setKey] = useState('')
  const [failure, setFailure] = useState<string | null>(null)
  const [isSending, setIsSending] = useState(false)
  const hasTried = useRef(false)

  const signIn = async (body: { readonly key: string } | { readonly once: string }) => {
    setIsSending(true)
    setFailure(null)
    try {
      onSignedIn(await send<AdminSession>('POST', '/session', { body }))
    } catch (error) {
      setFailure((error as RequestFailure).message)
    } finally {
      setIsSending(false)
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the link is used once, whatever is drawn again.
  useEffect(() => {
    document.title = 'Sign in · Fairgate'
    const once = /^#once=(.+)$/.exec(location.hash)?.[1]
    if (once === undefined || hasTried.current) return
    hasTried.current = true
    // It has no use any more, and must not stay in the history.
    history.replaceState(null, '', location.pathname)
    void signIn({ once: decodeURIComponent(once) })
  }, [])

  return (
    <main className="sign-in">
      <div className="stack">
        <div className="row">
          <BrandSign size={32} />
          <h1>Fairgate console</h1>
        </div>
        <form
          className="card card-body stack"
          onSubmit={event => {
            event.preventDefault()
            void signIn({ key: key.trim() })
          }}
        >
          <PasswordInput
            label="Admin key"
            description="The server prints it at its first start. Keys of teams begin with sk- and open the team page."
            value={key}
            onChange={event => setKey(event.currentTarget.value)}
            autoComplete="current-password"
            autoFocus
            required
          />
          <FailureNote text={failure} />
          <Button type="submit" loading={isSending} disabled={key.trim() === ''} fullWidth>
            Sign in
          </Button>
        </form>
      </div>
    </main>
  )
}
