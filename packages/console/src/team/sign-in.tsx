// Signs a team in: with its gateway key, or by a link that works once.

import type { SelfSession } from '@fairgate/contracts/console/self.ts'
import { Button, PasswordInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { RequestFailure } from '../api/request.ts'
import { usePageParts } from '../live/live-context.tsx'
import { BrandSign } from '../show/brand.tsx'
import { FailureNote } from '../show/failure-note.tsx'
import { explainWrongKey } from './explain-wrong-key.ts'

/** `typed`: the key, for this tab's memory; null after a link. */
export type SignedIn = (session: SelfSession, typed: string | null) => void

export function TeamSignIn({ onSignedIn }: { readonly onSignedIn: SignedIn }) {
  const { send } = usePageParts()
  const [key, setKey] = useState('')
  const [failure, setFailure] = useState<string | null>(null)
  const [isSending, setIsSending] = useState(false)
  const hasTried = useRef(false)

  const signIn = async (body: { readonly key: string } | { readonly once: string }) => {
    setIsSending(true)
    setFailure(null)
    try {
      const session = await send<SelfSession>('POST', '/self/session', { body })
      onSignedIn(session, 'key' in body ? body.key : null)
    } catch (error) {
      setFailure((error as RequestFailure).message)
    } finally {
      setIsSending(false)
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the link is used once, whatever is drawn again.
  useEffect(() => {
    const before = document.title
    document.title = 'Sign in · Fairgate'
    const once = new URLSearchParams(location.hash.slice(1)).get('once')
    if (once !== null && once !== '' && !hasTried.current) {
      hasTried.current = true
      // It has no use any more, and must not stay in the history.
      history.replaceState(null, '', location.pathname)
      void signIn({ once })
    }
    return () => {
      document.title = before
    }
  }, [])

  return (
    <main className="sign-in">
      <div className="stack">
        <div className="row">
          <BrandSign size={32} />
          <h1>Your team page</h1>
        </div>
        <form
          className="card card-body stack"
          onSubmit={event => {
            event.preventDefault()
            const wrong = explainWrongKey(key.trim())
            if (wrong === null) void signIn({ key: key.trim() })
            else setFailure(wrong)
          }}
        >
          <PasswordInput
            label="Gateway key"
            description="It begins with sk-. Whoever has it sees the page of its team."
            value={key}
            onChange={event => setKey(event.currentTarget.value)}
            size="md"
            autoComplete="current-password"
            autoFocus
            required
          />
          <FailureNote text={failure} />
          <Button type="submit" size="md" loading={isSending} disabled={key.trim() === ''} fullWidth>
            Open the page
          </Button>
          <p className="small muted">
            No key yet? Ask your organisers for the code of your team and open <a href="/join">/join</a>.
          </p>
        </form>
      </div>
    </main>
  )
}
