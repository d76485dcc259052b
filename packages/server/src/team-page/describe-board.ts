// A board → what its team is told about it: since when it is locked, until when, and who has locked it. Pure.
import type { Self } from '@fairgate/contracts/console/self.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Event } from '../directory/event/event.ts'
import type { Board } from '../store/statements/boards.ts'
import { eventLockAt } from '../store/statements/boards.ts'

type ToldBoard = Pick<Board, 'locked' | 'lockAt' | 'eventLocks' | 'openedAt' | 'updatedAt'>

const open: Self['board'] = { locked: false, since: null, until: null, reason: null, late_until: null }

/** Null for a team that has no board yet. `now`: Unix ms. A lock by hand comes first: the event does not open it. */
export function describeBoard(
  board: ToldBoard | null,
  { ended }: Pick<Event, 'ended'>,
  now: number,
): Self['board'] {
  if (board === null) return open
  const isDue = board.lockAt !== null && board.lockAt <= now
  if (board.locked || isDue)
    return {
      ...open,
      locked: true,
      // A board that was locked at once may also have a set time, which says nothing about when it was locked.
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

/** When the last of the locks in force ends; null where one of them does not. */
function findOpening({ eventLocks, openedAt }: ToldBoard, now: number): number | null {
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
