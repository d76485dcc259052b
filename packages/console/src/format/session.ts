// Shortens session ids and names the people of a session.

/** Keeps the end of the id, because UUIDs of version 7 begin with the time, so all sessions of a minute begin alike. */
export function shortenSession(id: string): string {
  const characters = [...id]
  return characters.length > 9 ? `…${characters.slice(-8).join('')}` : id
}

/** The team's members, or the git users if there are none. */
export function namePeople({
  members,
  students,
}: {
  readonly members: readonly { readonly name: string }[]
  readonly students: readonly string[]
}): string {
  return (members.length > 0 ? members.map(({ name }) => name) : students).join(', ')
}
