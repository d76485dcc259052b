// Buttons with an icon before the label.
import { Button, type ButtonProps } from '@mantine/core'
import { Download, type LucideIcon } from 'lucide-react'
import type { ComponentPropsWithoutRef } from 'react'

/** `variant="filled"`: the main action of its area. */
export function IconButton({
  icon: Icon,
  ...others
}: ButtonProps & ComponentPropsWithoutRef<'button'> & { readonly icon: LucideIcon }) {
  const size = others.size === 'xs' ? 14 : 15
  return <Button variant="default" leftSection={<Icon size={size} aria-hidden />} {...others} />
}

export function DownloadLink({
  href,
  name,
  children,
}: {
  readonly href: string
  /** The file's name, if the server does not set one. */
  readonly name?: string
  readonly children: string
}) {
  return (
    <Button
      component="a"
      variant="default"
      href={href}
      download={name ?? true}
      leftSection={<Download size={15} aria-hidden />}
    >
      {children}
    </Button>
  )
}
