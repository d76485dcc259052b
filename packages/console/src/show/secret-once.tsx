// Shows a secret that cannot be shown again. The dialog only closes once the reader confirms having saved it.
import { Alert, Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'
import { DialogButtons } from './dialog-buttons.tsx'

export function SecretOnce({
  title,
  secret,
  children,
  onClose,
}: {
  readonly title: string
  readonly secret: string
  /** The secret's purpose, and who gets it. */
  readonly children?: ReactNode
  readonly onClose: () => void
}) {
  return (
    <Dialog title={title} size={560} onClose={onClose} isKept>
      <div className="stack">
        {children}
        <div className="sunken-box">
          <div className="row-between wrap">
            <code className="foreign" data-secret>
              {secret}
            </code>
            <CopyButton text={secret} />
          </div>
        </div>
        <Alert color="yellow">This is shown only once. Only its digest is stored.</Alert>
        <DialogButtons>
          <Button onClick={onClose}>I have saved it</Button>
        </DialogButtons>
      </div>
    </Dialog>
  )
}
