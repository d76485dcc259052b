// Signs in with a key or a one-time link, which must not stay in the history.
import { useEffect, useRef, useState } from 'react'
import type { RequestFailure } from '../api/request.ts'
import { usePageParts } from '../live/live-context.tsx'

/** `onSignedIn` gets the key that was typed, or null after a link. */
export function useSignIn<Session>(
  path: string,
  onSignedIn: (session: Session, typed: string | null) => void,
): {
  readonly signIn: (key: string) => void
  readonly fail: (text: string) => void
  readonly failure: string | null
  readonly isSending: boolean
} {
  const { send } = usePageParts()
  const [failure, setFailure] = useState<string | null>(null)
  const [isSending, setIsSending] = useState(false)
  const hasTried = useRef(false)
  const ask = async (body: { readonly key: string } | { readonly once: string }) => {
    setIsSending(true)
    setFailure(null)
    try {
      const session = await send<Session>('POST', path, { body })
      onSignedIn(session, 'key' in body ? body.key : null)
    } catch (error) {
      setFailure((error as RequestFailure).message)
    } finally {
      setIsSending(false)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the link is used once, however often the component renders.
  useEffect(() => {
    const before = document.title
    document.title = 'Sign in · Fairgate'
    const once = new URLSearchParams(location.hash.slice(1)).get('once') ?? ''
    if (once !== '' && !hasTried.current) {
      hasTried.current = true
      history.replaceState(null, '', location.pathname)
      void ask({ once })
    }
    return () => {
      document.title = before
    }
  }, [])
  return { signIn: key => void ask({ key }), fail: setFailure, failure, isSending }
}
