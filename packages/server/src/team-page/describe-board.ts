// Describes a board for its team: since when it is locked, until when, and what locked it. Pure.
import type { Self } from '@fairgate/contracts/console/self.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Event } from '../directory/event/event.ts'
import type { Board } from '../store/statements/boards.ts'
import { eventLockAt } from '../store/statements/boards.ts'

type ReportedBoard = Pick<Board, 'locked' | 'lockAt' | 'eventLocks' | 'openedAt' | 'updatedAt'>

const open: Self['board'] = { locked: false, since: null, until: null, reason: null, late_until: null }

/** `board`: null for a team without a board. `now`: Unix ms. A manual lock comes first, because the event does not open it. */
export function describeBoard(
  board: ReportedBoard | null,
  { ended }: Pick<Event, 'ended'>,
  now: number,
): Self['board'] {
  if (board === null) return open
  const isDue = board.lockAt !== null && board.lockAt <= now
  if (board.locked || isDue)
    return {
      ...open,
      locked: true,
      // A board that was locked at once may also have a lock time, which is not when it was locked.
      since: isoTime(board.locked ? board.updatedAt : board.lockAt),
      reason: 'organisers',
    }
  const lock = eventLockAt(board, now)
  if (lock.kind === 'open') return open
  const since = lock.kind === 'late' ? lock.before : lock.since
  const isEnded = ended !== null && ended.at <= now
  return {
    locked: true,
    since: isoTime(since),
    until: isEnded ? null : isoTime(findOpening(board, now)),
    reason: isEnded ? 'end' : 'phase',
    late_until: isoTime(lock.kind === 'late' ? lock.until : null),
  }
}

/** Returns when the last active lock ends; null if one of them never ends. */
function findOpening({ eventLocks, openedAt }: ReportedBoard, now: number): number | null {
  const ends = eventLocks
    .filter(
      ({ closesAt, reopensAt }) =>
        closesAt <= now &&
        (reopensAt === null || now < reopensAt) &&
        (openedAt === null || closesAt > openedAt),
    )
    .map(({ reopensAt }) => reopensAt)
  return ends.some(end => end === null) ? null : Math.max(...ends.map(Number))
}
