// Decides which entry numbers of which teams a feed returns.
import { type EntryPositions, parseEntryPositions } from '@fairgate/contracts/management/entry-positions.ts'
import { refuseValue } from '../../directory/refusals.ts'
import type { FeedRange } from '../../logbook/list-entries/create-entries-reader.ts'

export type BoardHead = { readonly teamId: string; readonly headSeq: number }

/**
 * One team after the other, each from the number after the reader's last to the last one stored now. Within a team, numbers are assigned and
 * committed under one lock, so no entry appears later under a number that has been read. No order over all teams has this property. Throws
 * ApiError `invalid_request` for an `after_seq` that names no position.
 */
export function planFeed(
  boards: readonly BoardHead[],
  isTeam: (teamId: string) => boolean,
  { team_id: teamId, after_seq: text = '' }: { readonly team_id?: string; readonly after_seq?: string },
): FeedRange[] {
  const positions = readPositions(text, teamId)
  const heads = new Map(boards.map(board => [board.teamId, board.headSeq]))
  for (const [team, seq] of positions) {
    if (!isTeam(team)) throw refuseValue('after_seq', `there is no team "${team}".`)
    const head = heads.get(team) ?? 0
    // The reader has seen another database, or this one before a restore, and would miss new entries.
    if (seq > head)
      throw refuseValue('after_seq', `team ${team} has ${head} entries, none with number ${seq}.`)
  }
  return [...heads]
    .filter(([team]) => teamId === undefined || team === teamId)
    .map(([team, head]) => ({ teamId: team, afterSeq: positions.get(team) ?? 0, throughSeq: head }))
    .filter(({ afterSeq, throughSeq }) => afterSeq < throughSeq)
    .sort((left, right) => (left.teamId < right.teamId ? -1 : 1))
}

function readPositions(text: string, teamId: string | undefined): EntryPositions {
  try {
    return parseEntryPositions(text, teamId)
  } catch (cause) {
    if (cause instanceof RangeError) throw refuseValue('after_seq', cause.message)
    throw cause
  }
}
