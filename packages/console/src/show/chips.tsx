// Filter chips: a choice of one among several, or an active filter that a press removes.
import type { ReactNode } from 'react'

export function Chip({
  isOn,
  onPress,
  children,
}: {
  readonly isOn: boolean
  readonly onPress: () => void
  readonly children: ReactNode
}) {
  return (
    <button type="button" className="chip" aria-pressed={isOn} onClick={onPress}>
      {children}
    </button>
  )
}

/** Shown while the filter is set; a press removes it. */
export function FilterChip({
  onClear,
  children,
}: {
  readonly onClear: () => void
  readonly children: ReactNode
}) {
  return (
    <Chip isOn onPress={onClear}>
      {children} ×
    </Chip>
  )
}

export function ChoiceChips<Value extends string | undefined>({
  choices,
  value,
  onChange,
}: {
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}) {
  return choices.map(choice => (
    <Chip key={choice.label} isOn={choice.value === value} onPress={() => onChange(choice.value)}>
      {choice.label}
    </Chip>
  ))
}
