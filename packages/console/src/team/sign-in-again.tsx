// Over the page of a team whose session has ended: what was typed stays below.
import { Modal } from '@mantine/core'
import { type SignedIn, TeamSignIn } from './sign-in.tsx'

export function SignInAgain({ onSignedIn }: { readonly onSignedIn: SignedIn }) {
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} title="Your session has ended" size={480}>
      <p className="muted">What you typed is still there. Sign in again to go on.</p>
      <TeamSignIn onSignedIn={onSignedIn} />
    </Modal>
  )
}
