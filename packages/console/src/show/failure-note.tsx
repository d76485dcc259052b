// Error message of a failed request, shown below the form's fields.
import { Alert } from '@mantine/core'

/** Renders nothing without a text. */
export function FailureNote({ text }: { readonly text: string | null | undefined }) {
  if (text === null || text === undefined) return null
  return (
    <Alert color="red" role="alert">
      {text}
    </Alert>
  )
}
