// A button that leads to another screen of the same page. It is a link, so that it also opens in a new tab.
import { Button, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFollow } from './page-link.tsx'

export function LinkButton({
  href,
  children,
  ...others
}: ButtonProps & { readonly href: string; readonly title?: string; readonly children: ReactNode }) {
  return (
    <Button component="a" href={href} variant="default" onClick={useFollow(href)} {...others}>
      {children}
    </Button>
  )
}
