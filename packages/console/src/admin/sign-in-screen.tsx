// Signs in to the console with an admin key or a one-time link.

import type { AdminSession } from '@fairgate/contracts/management/access.ts'
import { useSignIn } from '../frame/use-sign-in.ts'
import { SignInForm } from '../show/sign-in-form.tsx'

/** `onSignedIn` gets the session. The key is dropped when this component unmounts. */
export function SignInScreen({ onSignedIn }: { readonly onSignedIn: (session: AdminSession) => void }) {
  const { signIn, failure, isSending } = useSignIn<AdminSession>('/session', onSignedIn)
  return (
    <SignInForm
      title="Fairgate console"
      label="Admin key"
      description="The server prints it on first start. Team keys (sk-…) sign in to the team page instead."
      verb="Sign in"
      failure={failure}
      isSending={isSending}
      onKey={signIn}
    />
  )
}
