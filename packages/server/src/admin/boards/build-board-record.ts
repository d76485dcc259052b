// A team's board as organisers see it (spec 3.3).
import type { BoardRecord } from '@fairgate/contracts/management/boards.ts'
import { isoTime } from '../../directory/iso-time.ts'
import { type Board, isBoardLocked } from '../../store/statements/boards.ts'

/** `now` in Unix ms: a set time that has come counts as locked. */
export function buildBoardRecord(board: Board, now: number): BoardRecord {
  return {
    team_id: board.teamId,
    locked: isBoardLocked(board, now),
    lock_at: isoTime(board.lockAt),
    head: { seq: board.headSeq, chain: board.headChain },
    updated_at: isoTime(board.updatedAt),
  }
}
