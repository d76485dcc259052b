// Finds the keys of an owner, whom LiteLLM's clients call a user: a member, or just a name that organisers gave to keys.
import type { User } from '@fairgate/contracts/info/user-info.ts'
import type { KeyRow } from '@fairgate/contracts/management/key-bodies.ts'
import type { Key, Member } from './types.ts'

/** Null for a key of the whole team. */
export function ownerIdOf({ userId, memberId = null }: Pick<Key, 'userId' | 'memberId'>): string | null {
  return userId === '' ? memberId : userId
}

export function isOwnedBy(
  { userId, memberId = null }: Pick<Key, 'userId' | 'memberId'>,
  id: string,
): boolean {
  return id !== '' && (userId === id || memberId === id)
}

/** `rows`: the owner's keys. */
export function buildUser(
  userId: string | null,
  member: Pick<Member, 'name' | 'email'> | undefined,
  rows: readonly KeyRow[],
): User {
  // Sums of floats would have digits that no charge has.
  const nano = rows.reduce((sum, { spend }) => sum + Math.round(spend * 1e9), 0)
  return {
    user_id: userId,
    user_alias: member?.name ?? null,
    user_email: member?.email ?? null,
    spend: nano / 1e9,
    teams: [...new Set(rows.map(({ team_id: teamId }) => teamId))],
  }
}
