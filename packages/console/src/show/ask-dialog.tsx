// Asks before an act that has no preview: names the effect, takes the reason.
import { Alert, Button, Modal, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { RequestFailure } from '../api/request.ts'
import { DialogButtons } from './dialog-buttons.tsx'

/** `act` gets the reason, null where none was given. It may reject with RequestFailure, which is shown. */
export function AskDialog({
  title,
  verb,
  isDanger = false,
  children,
  act,
  onClose,
}: {
  readonly title: string
  readonly verb: string
  readonly isDanger?: boolean
  /** What will happen. */
  readonly children: ReactNode
  readonly act: (reason: string | null) => Promise<unknown>
  readonly onClose: () => void
}) {
  const [reason, setReason] = useState('')
  const [failure, setFailure] = useState<string | null>(null)
  const [isActing, setIsActing] = useState(false)
  const run = async () => {
    setIsActing(true)
    setFailure(null)
    try {
      await act(reason.trim() === '' ? null : reason.trim())
      onClose()
    } catch (error) {
      setFailure((error as RequestFailure).message)
      setIsActing(false)
    }
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={<span className="dialog-title">{title}</span>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className="stack">
        <div>{children}</div>
        <TextInput
          label="Reason"
          description="For the audit; may be empty"
          value={reason}
          maxLength={200}
          onChange={event => setReason(event.currentTarget.value)}
        />
        {failure === null ? null : (
          <Alert color="red" role="alert">
            {failure}
          </Alert>
        )}
        <DialogButtons onCancel={onClose}>
          <Button
            data-confirm
            color={isDanger ? 'red' : 'blue'}
            loading={isActing}
            onClick={() => void run()}
          >
            {verb}
          </Button>
        </DialogButtons>
      </div>
    </Modal>
  )
}
