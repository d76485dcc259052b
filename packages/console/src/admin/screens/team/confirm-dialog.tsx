// A form of an act that has neither a dry run nor a reason: the words name its effect, and Enter sends it unless it is a danger.

import { Alert, Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { RequestFailure } from '../../../api/request.ts'
import { Dialog } from '../../../show/dialog.tsx'
import { DialogButtons } from '../../../show/dialog-buttons.tsx'

export function ConfirmDialog({
  title,
  verb,
  isDanger = false,
  isReady = true,
  isPending,
  error,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: ReactNode
  /** On the button: what it does. */
  readonly verb: string
  readonly isDanger?: boolean
  /** False while a field is wrong. */
  readonly isReady?: boolean
  readonly isPending: boolean
  readonly error: RequestFailure | null
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  return (
    <Dialog title={title} size={480} onClose={onClose}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          if (!isDanger && isReady) onConfirm()
        }}
      >
        {children}
        {error === null ? null : (
          <Alert color="red" role="alert">
            {error.message}
          </Alert>
        )}
        <DialogButtons onCancel={onClose}>
          <Button
            type={isDanger ? 'button' : 'submit'}
            color={isDanger ? 'red' : 'blue'}
            loading={isPending}
            disabled={!isReady}
            data-confirm
            {...(isDanger ? { onClick: onConfirm } : {})}
          >
            {verb}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
