// Text filter with suggestions. It applies when a suggestion is chosen, on Enter or on blur, not with each letter.
import { Autocomplete } from '@mantine/core'
import { useState } from 'react'
import { ForeignText } from './foreign.tsx'

const maxOffered = 50

export function FilterField({
  label,
  placeholder,
  names,
  value,
  onChange,
}: {
  readonly label: string
  readonly placeholder: string
  /** Suggestions, without duplicates; any other word can be typed. */
  readonly names: readonly (string | null)[]
  readonly value: string | undefined
  /** Undefined if the filter is off. */
  readonly onChange: (value: string | undefined) => void
}) {
  const [text, setText] = useState(value ?? '')
  const [shown, setShown] = useState(value)
  // The address has changed without this field, as by "Clear the filter".
  if (shown !== value) {
    setShown(value)
    setText(value ?? '')
  }
  const apply = (typed: string) => {
    const wanted = typed.trim() === '' ? undefined : typed.trim()
    if (wanted !== value) onChange(wanted)
  }
  const offered = [...new Set(names)].flatMap(name => (name === null || name === '' ? [] : [name])).sort()
  return (
    <Autocomplete
      aria-label={label}
      placeholder={placeholder}
      data={offered}
      limit={maxOffered}
      value={text}
      maxLength={128}
      clearable
      renderOption={({ option }) => <ForeignText text={option.value} most={48} />}
      onChange={setText}
      onOptionSubmit={apply}
      onClear={() => apply('')}
      onBlur={() => apply(text)}
      onKeyDown={event => {
        const isChoosing = event.currentTarget.hasAttribute('aria-activedescendant')
        if (event.key === 'Enter' && !isChoosing) apply(text)
      }}
    />
  )
}
