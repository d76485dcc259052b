// How a judge knows the teams: by their ids and names, or by numbers and letters if judging is blind.

export type Disguise = {
  readonly isBlind: boolean
  /** The team in addresses and replies: its id, or its number as text. Null for a team that this judge must not know of. */
  readonly refOf: (teamId: string) => string | null
  /** The team of an address; null if there is none. */
  readonly findTeam: (ref: string) => string | null
  /** "Kimchi Kernel", or "Team 17". */
  readonly nameOf: (teamId: string) => string
  /** "Haeun Seo", or "Person B". An email address that belongs to no member has a stable name too. */
  readonly personOf: (
    teamId: string,
    person: { readonly memberId: string } | { readonly email: string },
  ) => string
  /**
   * The same value, with every name and address of a team and its people that the server knows replaced, in every text at any depth, but not
   * in names of members. `teamId`: whose text it is. Takes time by the size of the value. For texts as teams wrote them, and once only: a
   * team may really be called "Team 3".
   */
  readonly cover: <Value>(teamId: string, value: Value) => Value
  /** The same for an entry of the log: what it says of the repository and the person is replaced whole, and names of members too. */
  readonly coverEntry: (teamId: string, entry: object) => Readonly<Record<string, unknown>>
  /** The same for an id that the team's tools have made up, for addresses: the id itself if it tells nothing, else another that stays the same. */
  readonly coverId: (teamId: string, id: string) => string
}
