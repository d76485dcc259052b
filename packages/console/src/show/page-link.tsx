// A link to another screen of the same page, by its address. The page is not loaded again.
import { useRouter } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, MouseEvent } from 'react'

/** Returns a handler that follows `href` within the page, unless the reader asks for another tab or window. */
export function useFollow(href: string): (event: MouseEvent) => void {
  const router = useRouter()
  return event => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    void router.navigate({ href })
  }
}

export function PageLink({
  href,
  ...others
}: AnchorHTMLAttributes<HTMLAnchorElement> & {
  readonly href: string
  readonly [data: `data-${string}`]: string | number | boolean | undefined
}) {
  return <a href={href} onClick={useFollow(href)} {...others} />
}
