// Signs a team in with its gateway key or a one-time link.

import type { SelfSession } from '@fairgate/contracts/console/self.ts'
import { useSignIn } from '../frame/use-sign-in.ts'
import { SignInForm } from '../show/sign-in-form.tsx'
import { explainWrongKey } from './explain-wrong-key.ts'

/** `typed`: the key, which this tab keeps in memory. Null after a sign-in by link. */
export type SignedIn = (session: SelfSession, typed: string | null) => void

export function TeamSignIn({ onSignedIn }: { readonly onSignedIn: SignedIn }) {
  const { signIn, fail, failure, isSending } = useSignIn('/self/session', onSignedIn)
  return (
    <SignInForm
      title="Your team page"
      label="Gateway key"
      description="Starts with sk-. Anyone with this key can see its team's page."
      verb="Open the page"
      size="md"
      failure={failure}
      isSending={isSending}
      onKey={key => {
        const wrong = explainWrongKey(key)
        if (wrong === null) signIn(key)
        else fail(wrong)
      }}
    >
      <p className="small muted">
        No key yet? Ask your organisers for your team's code and open <a href="/join">/join</a>.
      </p>
    </SignInForm>
  )
}
