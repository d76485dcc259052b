// The button at the end of a list that goes on, and why the rest did not come.
import { Button, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import type { MorePages } from '../api/more-pages.ts'
import { PartError } from './states.tsx'

/** Nothing where the list is whole. */
export function MoreButton({
  more,
  onPress,
  children,
  ...others
}: ButtonProps & {
  readonly more: MorePages | undefined
  readonly onPress?: () => void
  readonly children: ReactNode
}) {
  if (more === undefined) return null
  return (
    <>
      {more.failure === null ? null : <PartError what="More of the list" failure={more.failure} />}
      <Button
        variant="default"
        loading={more.isLoading}
        onClick={() => {
          onPress?.()
          more.load()
        }}
        {...others}
      >
        {children}
      </Button>
    </>
  )
}
