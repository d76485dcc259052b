// Signs in with a typed secret or with one in the address of a link, which must not stay in the history.
import { useEffect, useRef, useState } from 'react'
import type { RequestFailure } from '../api/request.ts'
import { usePageParts } from '../live/live-context.tsx'

/** Members of the body: of a secret that was typed, and of one that came after `#<member>=` in a link. */
type Members = { readonly typed: string; readonly link: string }

const keyOrTicket: Members = { typed: 'key', link: 'once' }

/** `onSignedIn` gets the secret that was typed, or null after a link. */
export function useSignIn<Session>(
  path: string,
  onSignedIn: (session: Session, typed: string | null) => void,
  { typed, link }: Members = keyOrTicket,
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
  const ask = async (member: string, secret: string, isTyped: boolean) => {
    setIsSending(true)
    setFailure(null)
    try {
      const session = await send<Session>('POST', path, { body: { [member]: secret } })
      onSignedIn(session, isTyped ? secret : null)
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
    const secret = new URLSearchParams(location.hash.slice(1)).get(link) ?? ''
    if (secret !== '' && !hasTried.current) {
      hasTried.current = true
      history.replaceState(null, '', location.pathname)
      void ask(link, secret, false)
    }
    return () => {
      document.title = before
    }
  }, [])
  return { signIn: secret => void ask(typed, secret, true), fail: setFailure, failure, isSending }
}
