// Over the page of a team whose session has ended: what was typed stays below.
import { Dialog } from '../show/dialog.tsx'
import { type SignedIn, TeamSignIn } from './sign-in.tsx'

export function SignInAgain({ onSignedIn }: { readonly onSignedIn: SignedIn }) {
  return (
    <Dialog title="Your session has ended" size={480} onClose={() => undefined} isKept>
      <p className="muted">What you typed is still there. Sign in again to go on.</p>
      <TeamSignIn onSignedIn={onSignedIn} />
    </Dialog>
  )
}
