// A one-line text field without browser autocomplete.
import { TextInput, type TextInputProps } from '@mantine/core'

export function TextField({
  onChange,
  ...others
}: Omit<TextInputProps, 'onChange' | 'value'> & {
  readonly value: string
  readonly onChange: (text: string) => void
}) {
  return <TextInput autoComplete="off" {...others} onChange={event => onChange(event.currentTarget.value)} />
}
