// Dialogs: in the middle of the page, or at its right edge. The focus goes back to where it was when they close.
import { Drawer, Modal } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

type DialogProps = {
  readonly title: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
  readonly size?: number
}

/** Its head is no landmark: the page has one of its own. */
const parts = { header: { role: 'presentation' } }

/** `isKept`: only its own button closes it, because what it shows cannot be shown again. */
export function Dialog({
  title,
  onClose,
  children,
  size = 440,
  isKept = false,
}: DialogProps & { readonly isKept?: boolean }) {
  useFocusReturn()
  return (
    <Modal
      opened
      onClose={isKept ? () => undefined : onClose}
      withCloseButton={!isKept}
      closeOnEscape={!isKept}
      closeOnClickOutside={!isKept}
      title={<span className="dialog-title">{title}</span>}
      size={size}
      attributes={parts}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Modal>
  )
}

/** What belongs to a row of the list beside it. */
export function SideDialog({ title, onClose, children }: DialogProps) {
  useFocusReturn()
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={468}
      title={<span className="dialog-title">{title}</span>}
      attributes={parts}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Drawer>
  )
}

/** Mantine gives the focus back when a dialog closes; these are taken away instead. */
export function useFocusReturn(): void {
  const before = useRef(document.activeElement)
  useEffect(() => {
    const opener = before.current
    return () => {
      // After the dialog has gone, and unless something else has taken the focus by then.
      setTimeout(() => {
        const isFree = document.activeElement === null || document.activeElement === document.body
        if (isFree && opener instanceof HTMLElement && opener.isConnected)
          opener.focus({ preventScroll: true })
      })
    }
  }, [])
}
