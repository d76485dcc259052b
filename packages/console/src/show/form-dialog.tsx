// Form dialog for an action without preview or reason. Its words name the effect, and Enter sends it.

import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { RequestFailure } from '../api/request.ts'
import { Dialog } from './dialog.tsx'
import { DialogButtons } from './dialog-buttons.tsx'
import { FailureNote } from './failure-note.tsx'

export function FormDialog({
  title,
  verb,
  size = 480,
  note,
  fields = [],
  isReady = true,
  action: { isPending, error },
  onConfirm,
  onClose,
  children,
}: {
  readonly title: ReactNode
  /** The button's label. */
  readonly verb: ReactNode
  readonly size?: number
  /** Next to the buttons. */
  readonly note?: ReactNode
  /** Members of the body that show errors at their own fields. */
  readonly fields?: readonly string[]
  /** False while a field is wrong. */
  readonly isReady?: boolean
  readonly action: { readonly isPending: boolean; readonly error: RequestFailure | null }
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  return (
    <Dialog title={title} size={size} onClose={onClose}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          if (isReady) onConfirm()
        }}
      >
        {children}
        <FailureNote text={fields.includes(error?.param ?? '') ? null : error?.message} />
        <DialogButtons note={note} onCancel={onClose}>
          <Button type="submit" loading={isPending} disabled={!isReady} data-confirm>
            {verb}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

/** The server's error message for one member of the body. */
export function faultOf(error: RequestFailure | null, member: string): string | null {
  return error?.param === member ? error.message : null
}
