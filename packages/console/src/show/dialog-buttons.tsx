// The end of a dialog: what is good to know, Cancel, and the action, at the right in every dialog.
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'

export function DialogButtons({
  note,
  onCancel,
  children,
}: {
  /** Such as how the action is undone. */
  readonly note?: ReactNode
  /** Absent: the dialog can only be confirmed. */
  readonly onCancel?: () => void
  readonly children: ReactNode
}) {
  return (
    <div className="dialog-buttons">
      {note === undefined || note === null ? null : <span className="dialog-note muted small">{note}</span>}
      {onCancel === undefined ? null : (
        <Button data-cancel variant="default" onClick={onCancel}>
          Cancel
        </Button>
      )}
      {children}
    </div>
  )
}
