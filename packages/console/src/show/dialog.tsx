// Dialogs in the middle of the page or at its right edge. The first field gets the focus, and the opener gets it back on close.
import { Drawer, Modal } from '@mantine/core'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'

type DialogProps = {
  readonly title: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
  readonly size?: number
}

/** A dialog's header is not a landmark, because the page has its own. */
const parts = { header: { role: 'presentation' } }

/** `isKept`: only the dialog's own button closes it, because its content cannot be shown again. */
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
      <Body>{children}</Body>
    </Modal>
  )
}

/** Shows details of a row next to its list. */
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
      <Body>{children}</Body>
    </Drawer>
  )
}

/** Marks the element that Mantine focuses. Without a mark it focuses the × in the head, where Enter would close the dialog. */
function Body({ children }: { readonly children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (ref.current !== null) findFirst(ref.current).setAttribute('data-autofocus', 'true')
  }, [])
  return (
    <div ref={ref} className="dialog-body" tabIndex={-1}>
      {children}
    </div>
  )
}

/** Returns the field the dialog marked, else the first field, the Cancel button or the first other button; the body while it loads. */
function findFirst(body: Element): Element {
  const kinds = ['[data-autofocus]', 'input, textarea, select', '[data-cancel]', 'button, a[href]']
  return (
    kinds
      .flatMap(kind => [...body.querySelectorAll(kind)])
      .find(each => !each.matches(':disabled, [type=hidden], [type=file]')) ?? body
  )
}

/** The element last focused outside of menus. A menu item no longer exists when its dialog opens. */
let lastFocused: Element | null = null
document.addEventListener('focusin', ({ target }) => {
  if (target instanceof Element && target.closest('[role=menu]') === null) lastFocused = target
})

/** Returns the focus itself, because these dialogs are unmounted and Mantine only does so on close. If the opener is gone, the heading gets it. */
export function useFocusReturn(): void {
  const [opener] = useState(lastFocused)
  useEffect(
    () => () => {
      // Runs after the dialog is gone, unless something else has the focus by then.
      setTimeout(() => {
        const isFree = document.activeElement === null || document.activeElement === document.body
        if (!isFree) return
        const heading = document.querySelector<HTMLElement>('#content h1')
        if (heading !== null) heading.tabIndex = -1
        const place = opener?.isConnected === true ? opener : heading
        if (place instanceof HTMLElement) place.focus({ preventScroll: true })
      })
    },
    [opener],
  )
}
