// Select that filters a list by one of the judge's own teams.
import { Select } from '@mantine/core'
import { ForeignText } from '../../show/foreign.tsx'
import { useQueue, useTeamName } from '../queue-context.tsx'

const maxName = 40

export function OwnTeamSelect({
  value,
  onChange,
}: {
  /** Undefined for all teams. */
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}) {
  const { items } = useQueue()
  const name = useTeamName(value ?? '')
  const known = items.map(item => ({ value: item.team, label: item.name.slice(0, maxName) }))
  const isOther = value !== undefined && !known.some(team => team.value === value)
  return (
    <Select
      aria-label="Team"
      placeholder="All teams"
      clearable
      data={isOther ? [...known, { value, label: name.slice(0, maxName) }] : known}
      value={value ?? null}
      renderOption={({ option }) => <ForeignText text={option.label} most={maxName} />}
      onChange={chosen => onChange(chosen ?? undefined)}
    />
  )
}
