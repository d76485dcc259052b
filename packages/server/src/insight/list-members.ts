// Lists the owners of log tokens for readers of sessions and recorders.
import type { Directory } from '../directory/create-directory.ts'

/** Each member once; skips unknown tokens and those of the whole team. */
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
