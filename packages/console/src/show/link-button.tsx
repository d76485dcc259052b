// A button that leads to another screen of the same page. It is a link, so that it also opens in a new tab.
import { Button, type ButtonProps } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'

export function LinkButton({
  href,
  children,
  ...others
}: ButtonProps & { readonly href: string; readonly title?: string; readonly children: ReactNode }) {
  const router = useRouter()
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    void router.navigate({ href })
  }
  return (
    <Button component="a" href={href} variant="default" onClick={follow} {...others}>
      {children}
    </Button>
  )
}
