// Moves the focus to the heading of the new screen after navigation, for keyboards and screen readers.
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** For the frame of a page with its screens in `<main id="content">`, each with one `h1`. `screen`: differs for each screen. */
export function useHeadingFocus(screen?: string): void {
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const path = screen ?? pathname
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
      // A pressed tab of the same screen is still there and keeps its focus.
      if (!main.contains(document.activeElement)) {
        heading.tabIndex = -1
        heading.focus({ preventScroll: true })
      }
      return true
    }
    if (focus()) return
    // Some screens render their heading only with their data.
    const observer = new MutationObserver(() => {
      if (focus()) observer.disconnect()
    })
    observer.observe(main, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [path])
}
