// To whom log tokens belong, as those who read sessions and recorders are told.
import type { Directory } from '../directory/create-directory.ts'

/** Each member once; tokens of the whole team, and unknown ones, are passed over. */
export function listMembers(
  tokenIds: readonly string[],
  directory: Pick<Directory, 'findLogTokenById' | 'findMember'>,
): { member_id: string; name: string }[] {
  const members = tokenIds.flatMap(tokenId => {
    const memberId = directory.findLogTokenById(tokenId)?.memberId ?? null
    return memberId === null ? [] : (directory.findMember(memberId) ?? [])
  })
  return [...new Map(members.map(({ memberId, name }) => [memberId, { member_id: memberId, name }])).values()]
}
