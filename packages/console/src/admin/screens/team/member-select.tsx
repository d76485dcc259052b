// Chooses whose a key or token is: a member, or the whole team.

import type { Person } from '@fairgate/contracts/management/people.ts'
import { NativeSelect } from '@mantine/core'

export function MemberSelect({
  members,
  value,
  onChange,
}: {
  readonly members: readonly Person[]
  readonly value: string | null
  readonly onChange: (memberId: string | null) => void
}) {
  return (
    <NativeSelect
      label="Whose"
      value={value ?? ''}
      onChange={event => onChange(event.currentTarget.value === '' ? null : event.currentTarget.value)}
      data={[
        { value: '', label: 'The whole team' },
        ...members.map(({ member_id, name }) => ({ value: member_id, label: name })),
      ]}
    />
  )
}
