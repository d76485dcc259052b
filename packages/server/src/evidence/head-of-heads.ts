// One figure for all logs of an event: whoever writes it down can tell later that no entry before was changed.
import { createHash } from 'node:crypto'

export type LogHead = { readonly teamId: string; readonly headChain: string }

/**
 * Lower-case hex SHA-256 over the lines `team_id head`, each ended by a line feed, in the order of the ids as bytes. Teams without entries are
 * left out by whoever calls.
 */
export function headOfHeads(heads: readonly LogHead[]): string {
  const lines = heads.map(({ teamId, headChain }) => Buffer.from(`${teamId} ${headChain}\n`))
  // No id holds a space, so that lines are in the order of their ids.
  return createHash('sha256')
    .update(Buffer.concat(lines.sort(Buffer.compare)))
    .digest('hex')
}
