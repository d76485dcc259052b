// One hash for all logs of an event: with a written copy anyone can verify later that no earlier entry was changed.
import { createHash } from 'node:crypto'

export type LogHead = { readonly teamId: string; readonly headChain: string }

/**
 * Lower-case hex SHA-256 over the lines `team_id head`, each ended by a line feed, ordered by the bytes of the ids. Callers leave out teams
 * without entries.
 */
export function headOfHeads(heads: readonly LogHead[]): string {
  const lines = heads.map(({ teamId, headChain }) => Buffer.from(`${teamId} ${headChain}\n`))
  // No id contains a space, so the lines are in the order of their ids.
  return createHash('sha256')
    .update(Buffer.concat(lines.sort(Buffer.compare)))
    .digest('hex')
}
