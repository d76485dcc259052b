// Button that loads the next page of a list, with the error if that failed.
import { Button, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import type { MorePages } from '../api/more-pages.ts'
import { PartError } from './states.tsx'

/** Renders nothing if the list is complete. */
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
      {more.failure === null ? null : <PartError what="The rest of the list" failure={more.failure} />}
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
