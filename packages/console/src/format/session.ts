// Session ids in a few characters.

/** The end of the id: UUIDs of version 7 begin with the time, so that all sessions of a minute begin alike. */
export function shortenSession(id: string): string {
  const characters = [...id]
  return characters.length > 9 ? `…${characters.slice(-8).join('')}` : id
}

/** The members of the team, else who git says it was. */
export function namePeople({
  members,
  students,
}: {
  readonly members: readonly { readonly name: string }[]
  readonly students: readonly string[]
}): string {
  return (members.length > 0 ? members.map(({ name }) => name) : students).join(', ')
}
