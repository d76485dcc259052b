// Where an item stands in the page, and how the address leads there.
import { useEffect, useRef } from 'react'

export function idOf(ref: string): string {
  return `item-${ref}`
}

/** Scrolls to what the address names, once it is there. */
export function useMarked(ref: string | null): void {
  const hasGone = useRef<string | null>(null)
  useEffect(() => {
    if (ref === null || hasGone.current === ref) return
    const element = document.getElementById(idOf(ref))
    if (element === null) return
    hasGone.current = ref
    element.scrollIntoView({ block: 'center' })
  })
}
