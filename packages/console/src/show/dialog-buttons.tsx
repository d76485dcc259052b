// The foot of every dialog: an optional note, then Cancel and the action at the right.
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'

export function DialogButtons({
  note,
  onCancel,
  children,
}: {
  /** For example how to undo the action. */
  readonly note?: ReactNode
  /** If absent, the dialog can only be confirmed. */
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
