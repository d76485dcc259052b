// Moves the focus to the heading of a screen that was navigated to, so that the keyboard and screen readers are where the eyes are.
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** For the frame of a page, whose screens stand in `<main id="content">` and have one `h1` each. */
export function useHeadingFocus(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const last = useRef<string | undefined>(undefined)
  useEffect(() => {
    const isFirst = last.current === undefined
    const isSame = last.current === path
    last.current = path
    if (isFirst || isSame) return
    const main = document.getElementById('content')
    if (main === null) return
    const focus = (): boolean => {
      const heading = main.querySelector('h1')
      if (heading === null) return false
      // A tab of the same screen that was pressed is still there, and so is its focus.
      if (!main.contains(document.activeElement)) {
        heading.tabIndex = -1
        heading.focus({ preventScroll: true })
      }
      return true
    }
    if (focus()) return
    // The heading of some screens comes with their data.
    const observer = new MutationObserver(() => {
      if (focus()) observer.disconnect()
    })
    observer.observe(main, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [path])
}
