// Parses `after_seq` of an entry feed: a number for one team, or `team:number` for multiple teams.

/** Maximum characters in `after_seq`, so that it fits into a URL with everything else. */
export const maximumPositionsLength = 8000

/** Team → number of the last entry that the reader has. A missing team is read from its first entry. */
export type EntryPositions = ReadonlyMap<string, number>

const part = /^([A-Za-z0-9][A-Za-z0-9._-]{0,127}):(\d{1,15})$/

/** `17` refers to the only team being read (`teamId`). Throws a RangeError that explains the format. */
export function parseEntryPositions(text: string, teamId: string | undefined): EntryPositions {
  const positions = new Map<string, number>()
  if (text === '') return positions
  if (/^\d{1,15}$/.test(text)) {
    if (teamId === undefined)
      throw new RangeError('a number alone needs one team; for several write red:17,blue:3.')
    return positions.set(teamId, Number(text))
  }
  for (const piece of text.split(',')) {
    const [, team = '', seq = ''] = part.exec(piece.trim()) ?? []
    if (team === '') throw new RangeError('write a number such as 17, or a list such as red:17,blue:3.')
    if (positions.has(team)) throw new RangeError(`the team ${team} is given twice.`)
    positions.set(team, Number(seq))
  }
  return positions
}
