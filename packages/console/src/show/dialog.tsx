// Dialogs: in the middle of the page, or at its right edge. The focus goes to the first field, and back to what opened them when they close.
import { Drawer, Modal } from '@mantine/core'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'

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
      <Body>{children}</Body>
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
      <Body>{children}</Body>
    </Drawer>
  )
}

/** Marks what Mantine gives the focus to. Without a mark it takes the × in the head, where Enter throws away what is shown. */
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

/** The field that the dialog has chosen, else the first one, the button that does nothing, or the first that does; the body while it loads. */
function findFirst(body: Element): Element {
  const kinds = ['[data-autofocus]', 'input, textarea, select', '[data-cancel]', 'button, a[href]']
  return (
    kinds
      .flatMap(kind => [...body.querySelectorAll(kind)])
      .find(each => !each.matches(':disabled, [type=hidden], [type=file]')) ?? body
  )
}

/** The focus of before, outside of menus: what was chosen in one is gone when its dialog opens. */
let lastFocused: Element | null = null
document.addEventListener('focusin', ({ target }) => {
  if (target instanceof Element && target.closest('[role=menu]') === null) lastFocused = target
})

/** Mantine gives the focus back when a dialog closes; these are taken away instead. What opened it may be gone: then the heading has it. */
export function useFocusReturn(): void {
  const [opener] = useState(lastFocused)
  useEffect(
    () => () => {
      // After the dialog has gone, and unless something else has taken the focus by then.
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
