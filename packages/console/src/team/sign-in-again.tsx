// Sign-in dialog over a team page after its session has ended. Text typed on the page is kept.
import { Dialog } from '../show/dialog.tsx'
import { type SignedIn, TeamSignIn } from './sign-in.tsx'

export function SignInAgain({ onSignedIn }: { readonly onSignedIn: SignedIn }) {
  return (
    <Dialog title="Your session has ended" size={480} onClose={() => undefined} isKept>
      <p className="muted">Nothing you typed was lost. Sign in again to continue.</p>
      <TeamSignIn onSignedIn={onSignedIn} />
    </Dialog>
  )
}
