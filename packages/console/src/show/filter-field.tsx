// A word to filter by: it counts when it is entered or left, and not with each letter.
import { TextInput } from '@mantine/core'
import { useState } from 'react'

export function FilterField({
  label,
  placeholder,
  value,
  onChange,
}: {
  readonly label: string
  readonly placeholder: string
  readonly value: string | undefined
  /** Undefined: nothing is filtered by it. */
  readonly onChange: (value: string | undefined) => void
}) {
  const [text, setText] = useState(value ?? '')
  const [shown, setShown] = useState(value)
  // The address has changed without this field, as by "Clear the filter".
  if (shown !== value) {
    setShown(value)
    setText(value ?? '')
  }
  const apply = () => {
    const wanted = text.trim() === '' ? undefined : text.trim()
    if (wanted !== value) onChange(wanted)
  }
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      value={text}
      maxLength={128}
      onChange={event => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={event => {
        if (event.key === 'Enter') apply()
      }}
    />
  )
}
