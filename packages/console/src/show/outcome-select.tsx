// Filter of a list of calls by how they ended.
import { Select } from '@mantine/core'

const outcomes = [
  { value: 'completed', label: 'Completed' },
  { value: 'refused', label: 'Refused' },
  { value: 'failed', label: 'Failed' },
  { value: 'client_closed', label: 'Client disconnected' },
  { value: 'interrupted', label: 'Interrupted' },
  { value: 'replayed', label: 'Replayed' },
]

export function OutcomeSelect({
  value,
  onChange,
}: {
  readonly value: string | undefined
  readonly onChange: (outcome: string | undefined) => void
}) {
  return (
    <Select
      aria-label="Outcome"
      placeholder="Any outcome"
      clearable
      data={outcomes}
      value={value ?? null}
      onChange={chosen => onChange(chosen ?? undefined)}
    />
  )
}
