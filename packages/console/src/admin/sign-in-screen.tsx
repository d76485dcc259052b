// Signs in to the console: with an admin key, or by a link that works once.

import type { AdminSession } from '@fairgate/contracts/management/access.ts'
import { useSignIn } from '../frame/use-sign-in.ts'
import { SignInForm } from '../show/sign-in-form.tsx'

/** `onSignedIn` gets the session; the key is forgotten when this part goes. */
export function SignInScreen({ onSignedIn }: { readonly onSignedIn: (session: AdminSession) => void }) {
  const { signIn, failure, isSending } = useSignIn<AdminSession>('/session', onSignedIn)
  return (
    <SignInForm
      title="Fairgate console"
      label="Admin key"
      description="The server prints it at its first start. Keys of teams begin with sk- and open the team page."
      verb="Sign in"
      failure={failure}
      isSending={isSending}
      onKey={signIn}
    />
  )
}
