// Confirmation dialog for actions without a preview: names the effect and takes the reason.

import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { RequestFailure } from '../api/request.ts'
import { Dialog } from './dialog.tsx'
import { DialogButtons } from './dialog-buttons.tsx'
import { FailureNote } from './failure-note.tsx'
import { TextField } from './text-field.tsx'
import { useToast } from './toaster.tsx'

/** `action` gets the reason, or null if none was given. It may reject with RequestFailure, which is shown. */
export function AskDialog({
  title,
  verb,
  isDanger = false,
  children,
  action,
  onClose,
}: {
  readonly title: string
  readonly verb: string
  readonly isDanger?: boolean
  /** Describes the effect. */
  readonly children: ReactNode
  readonly action: (reason: string | null) => Promise<unknown>
  readonly onClose: () => void
}) {
  const say = useToast()
  const [reason, setReason] = useState('')
  const [failure, setFailure] = useState<string | null>(null)
  const [isActing, setIsActing] = useState(false)
  const run = async () => {
    setIsActing(true)
    setFailure(null)
    try {
      await action(reason.trim() === '' ? null : reason.trim())
      say({ text: `Done: ${verb}` })
      onClose()
    } catch (error) {
      setFailure((error as RequestFailure).message)
      setIsActing(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack">
        <div>{children}</div>
        <TextField
          label="Reason"
          description="Optional, kept in the audit log"
          value={reason}
          maxLength={200}
          onChange={setReason}
        />
        <FailureNote text={failure} />
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
    </Dialog>
  )
}
