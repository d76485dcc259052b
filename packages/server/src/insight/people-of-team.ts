// Finds the person behind the sessions and calls of a team: by the log token, the address that entries name, or the gateway key.
import type { Directory } from '../directory/create-directory.ts'
import type { SessionDigest } from '../record/digest-sessions.ts'

/** A member of the team, or someone whom only entries name. */
export type Person = { readonly memberId: string } | { readonly email: string }

export type PeopleOfTeam = {
  /** Who is in the team now. */
  readonly members: readonly Person[]
  /** The one who wrote first comes first; empty if nobody is known. */
  readonly ofSession: (session: Pick<SessionDigest, 'tokenIds' | 'students' | 'keyHash'>) => readonly Person[]
  readonly ofKey: (keyHash: string) => Person | null
}

export function createPeopleOfTeam(
  teamId: string,
  directory: Pick<Directory, 'membersOfTeam' | 'findLogTokenById' | 'findKeyName'>,
): PeopleOfTeam {
  const members = directory.membersOfTeam(teamId)
  const byEmail = new Map(
    members.flatMap(({ email, memberId }) => (email === null ? [] : [[email.toLowerCase(), memberId]])),
  )
  const ofKey = (keyHash: string): Person | null => {
    const memberId = directory.findKeyName(keyHash)?.memberId ?? null
    return memberId === null ? null : { memberId }
  }
  const ofToken = (tokenId: string): Person[] => {
    const memberId = directory.findLogTokenById(tokenId)?.memberId ?? null
    return memberId === null ? [] : [{ memberId }]
  }
  const ofStudent = (email: string): Person => {
    const memberId = byEmail.get(email.toLowerCase())
    return memberId === undefined ? { email } : { memberId }
  }
  return {
    members: members.filter(({ removedAt }) => removedAt === null).map(({ memberId }) => ({ memberId })),
    ofSession: ({ tokenIds, students, keyHash }) => {
      const owners = tokenIds.flatMap(ofToken)
      if (owners.length > 0) return unique(owners)
      if (students.length > 0) return unique(students.map(ofStudent))
      const owner = keyHash === null ? null : ofKey(keyHash)
      return owner === null ? [] : [owner]
    },
    ofKey,
  }
}

/** Tells people apart. */
export function keyOfPerson(person: Person | null): string {
  if (person === null) return ''
  return 'email' in person ? `email ${person.email.toLowerCase()}` : `member ${person.memberId}`
}

function unique(people: readonly Person[]): Person[] {
  return [...new Map(people.map(person => [keyOfPerson(person), person])).values()]
}
