// Select that filters a list by team.
import { Select } from '@mantine/core'
import { ForeignText } from '../../../show/foreign.tsx'
import { useNamedTeams } from './team-link.tsx'

const maxName = 40

export function TeamSelect({
  value,
  onChange,
}: {
  /** The team id; undefined for all teams. */
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}) {
  const teams = useNamedTeams()
  const known = (teams.data?.items ?? []).map(({ team_id, team_alias }) => ({
    value: team_id,
    label: (team_alias === '' ? team_id : team_alias).slice(0, maxName),
  }))
  // A team in the address that is not in the list, such as a deleted one.
  const isUnknown = value !== undefined && !known.some(team => team.value === value)
  return (
    <Select
      aria-label="Team"
      placeholder="All teams"
      clearable
      searchable
      data={isUnknown ? [...known, { value, label: value.slice(0, maxName) }] : known}
      value={value ?? null}
      renderOption={({ option }) => <ForeignText text={option.label} most={maxName} />}
      onChange={chosen => onChange(chosen ?? undefined)}
    />
  )
}
