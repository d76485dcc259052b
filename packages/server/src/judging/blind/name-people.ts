// The letters that people of a team have for blind judges.
import { createHmac } from 'node:crypto'
import type { Directory } from '../../directory/create-directory.ts'
import type { Member } from '../../directory/types.ts'

export type PeopleNames = {
  readonly ofMember: (memberId: string) => { readonly teamId: string; readonly letters: string } | null
  /** Of a member of any team, the team's own first; of nobody else. */
  readonly ofEmail: (
    teamId: string,
    email: string,
  ) => { readonly teamId: string; readonly letters: string } | null
  /** For an address or a name that belongs to no member: four digits, the same in every process. Two of a team rarely share them. */
  readonly ofStranger: (teamId: string, address: string) => string
}

/** Members have letters in the order in which they were added, removed ones included, so a letter never changes. */
export function namePeople(key: Uint8Array, directory: Pick<Directory, 'members'>): PeopleNames {
  const digest = (text: string) => createHmac('sha256', key).update(text).digest()
  const byId = new Map<string, { readonly teamId: string; readonly letters: string }>()
  const byEmail = new Map<string, { readonly teamId: string; readonly letters: string }[]>()
  const lots = new Map(
    directory.members().map(({ memberId }) => [memberId, digest(`member ${memberId}`).toString('hex')]),
  )
  // Those who were added together are drawn: their list may be in the order of their names.
  const inOrder = (one: Member, other: Member) =>
    one.createdAt - other.createdAt ||
    ((lots.get(one.memberId) ?? '') < (lots.get(other.memberId) ?? '') ? -1 : 1)
  for (const members of Map.groupBy(directory.members(), ({ teamId }) => teamId).values()) {
    for (const [place, { memberId, teamId, email }] of members.toSorted(inOrder).entries()) {
      const person = { teamId, letters: writeLetters(place) }
      byId.set(memberId, person)
      if (email === null) continue
      const folded = email.toLowerCase()
      byEmail.set(folded, [...(byEmail.get(folded) ?? []), person])
    }
  }
  return {
    ofMember: memberId => byId.get(memberId) ?? null,
    ofEmail: (teamId, email) => {
      const people = byEmail.get(email.trim().toLowerCase()) ?? []
      return people.find(person => person.teamId === teamId) ?? people[0] ?? null
    },
    ofStranger: (teamId, address) =>
      String(1000 + (digest(`stranger ${teamId}\n${address.trim().toLowerCase()}`).readUInt32BE(0) % 9000)),
  }
}

/** A to Z, then AA. */
function writeLetters(place: number): string {
  const letter = String.fromCharCode(65 + (place % 26))
  return place < 26 ? letter : `${writeLetters(Math.floor(place / 26) - 1)}${letter}`
}
