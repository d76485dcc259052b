// Filters a list by a team, which is chosen by its name.
import { Select } from '@mantine/core'
import { ForeignText } from '../../../show/foreign.tsx'
import { useNamedTeams } from './team-link.tsx'

const maxName = 40

export function TeamSelect({
  value,
  onChange,
}: {
  /** The id of the team; undefined: all. */
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}) {
  const teams = useNamedTeams()
  const known = (teams.data?.items ?? []).map(({ team_id, team_alias }) => ({
    value: team_id,
    label: (team_alias === '' ? team_id : team_alias).slice(0, maxName),
  }))
  // A team of the address that is not among them, such as one that was deleted.
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
