// Why what was sent was not done, below the fields that were sent.
import { Alert } from '@mantine/core'

/** Nothing while there is no text. */
export function FailureNote({ text }: { readonly text: string | null | undefined }) {
  if (text === null || text === undefined) return null
  return (
    <Alert color="red" role="alert">
      {text}
    </Alert>
  )
}
