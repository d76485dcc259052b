// Selects and shows the owner of a key or token: a member or the whole team.

import type { Person } from '@fairgate/contracts/management/people.ts'
import { NativeSelect } from '@mantine/core'
import { ForeignText } from '../../../show/foreign.tsx'

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
      label="Owner"
      value={value ?? ''}
      onChange={event => onChange(event.currentTarget.value === '' ? null : event.currentTarget.value)}
      data={[
        { value: '', label: 'The whole team' },
        ...members.map(({ member_id, name }) => ({ value: member_id, label: name })),
      ]}
    />
  )
}

export function Owner({
  members,
  memberId,
  most = 40,
}: {
  readonly members: readonly Person[]
  readonly memberId: string | undefined
  readonly most?: number
}) {
  const owner = members.find(({ member_id }) => member_id === memberId)
  return owner === undefined ? (
    <span className="muted">the whole team</span>
  ) : (
    <ForeignText text={owner.name} most={most} />
  )
}
