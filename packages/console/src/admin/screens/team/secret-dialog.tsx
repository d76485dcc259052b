// Shows a secret that was just made, once: only who says that it is saved leads on.

import { Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from '../../../show/copy-button.tsx'

export function SecretDialog({
  title,
  secret,
  children,
  onClose,
}: {
  readonly title: string
  readonly secret: string
  readonly children?: ReactNode
  readonly onClose: () => void
}) {
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={<span className="dialog-title">{title}</span>}
      size={560}
    >
      <div className="stack">
        <p>It is shown this once. Only its digest is kept, so nobody can show it again.</p>
        <div className="sunken-box">
          <code className="secret" data-secret>
            {secret}
          </code>
        </div>
        {children}
        <div className="row dialog-end">
          <CopyButton text={secret} />
          <Button onClick={onClose}>I have saved it</Button>
        </div>
      </div>
    </Modal>
  )
}
