// Signs a judge in with the code of a claim link.
import type { AdminSession } from '@fairgate/contracts/management/access.ts'
import { useSignIn } from '../frame/use-sign-in.ts'
import { SignInForm } from '../show/sign-in-form.tsx'

export function JudgeSignIn({ onSignedIn }: { readonly onSignedIn: (session: AdminSession) => void }) {
  const { signIn, failure, isSending } = useSignIn<AdminSession>('/judging/sign-in', onSignedIn, {
    typed: 'code',
    link: 'code',
  })
  return (
    <SignInForm
      title="Judging"
      label="Your code"
      description="Twelve letters and digits, as in ABCD-EFGH-JKMN. Opening your link signs you in without it."
      verb="Sign in"
      size="md"
      isCode
      failure={failure}
      isSending={isSending}
      onKey={signIn}
    >
      <p className="small muted">No code? Ask the organisers for your link. It works on all your devices.</p>
    </SignInForm>
  )
}
