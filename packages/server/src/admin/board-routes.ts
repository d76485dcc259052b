// Routes for boards: POST /team/lock and /team/unlock close and open a team's board (spec 3.3), GET /logs/boards lists all boards.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type BoardList,
  type BoardRecord,
  boardListSchema,
  boardSchema,
  boardsQuerySchema,
  lockBoardBodySchema,
} from '@fairgate/contracts/management/boards.ts'
import { teamIdBodySchema } from '@fairgate/contracts/management/team-bodies.ts'
import { parseMoment } from '../directory/parse-times.ts'
import { refuseValue, requireTeam } from '../directory/refusals.ts'
import { type Board, isBoardLocked } from '../store/statements/boards.ts'
import { type AdminRoute, changeRoute, lookupRoute, type Management } from './management-route.ts'

export function lockRoutes({ directory, clock }: Management): AdminRoute[] {
  const tag = 'Boards'
  return [
    changeRoute({
      tag,
      openTo: 'organisers',
      path: '/team/lock',
      summary: "Lock a team's board, now or at a given time",
      description:
        'After the reply no further entry is stored; reading still works. A lock time does not open a board that is already locked. ' +
        'A time more than a minute in the past is refused unless `now` is true, because it would lock the board at once.',
      body: lockBoardBodySchema,
      reply: boardSchema,
      errors: ['team_not_found'],
      change: async (body, actor) => {
        const lockAt = chooseLockTime(body, clock())
        return buildBoardRecord(await directory.lockBoard(body.team_id, lockAt, actor), clock())
      },
    }),
    changeRoute({
      tag,
      openTo: 'organisers',
      path: '/team/unlock',
      summary: "Open a team's board again",
      description:
        'A lock time is removed too. Locks that the event has put on the board so far no longer apply to it; later ones do.',
      body: teamIdBodySchema,
      reply: boardSchema,
      errors: ['team_not_found'],
      change: async ({ team_id }, actor) =>
        buildBoardRecord(await directory.unlockBoard(team_id, actor), clock()),
    }),
  ]
}

export function listBoardsRoute({ directory, listBoards, clock }: Management): AdminRoute {
  return lookupRoute({
    tag: 'Logs',
    openTo: 'judges',
    path: '/logs/boards',
    summary: 'List the boards of all teams or one: lock, number of entries and head of the chain',
    query: boardsQuerySchema,
    reply: boardListSchema,
    errors: ['team_not_found', 'unavailable'],
    look: async ({ team_id }): Promise<BoardList> => {
      if (team_id !== undefined) requireTeam(directory, team_id)
      const now = clock()
      const boards = await listBoards()
      const shown = boards.filter(({ teamId }) => team_id === undefined || teamId === team_id)
      return { boards: shown.map(board => buildBoardRecord(board, now)) }
    },
  })
}

/** A board counts as locked from its lock time on. `now` in Unix ms. */
function buildBoardRecord(board: Board, now: number): BoardRecord {
  const eventLock = findEventLock(board, now)
  return {
    team_id: board.teamId,
    locked: isBoardLocked(board, now),
    lock_at: isoTime(board.lockAt),
    ...(eventLock === undefined ? {} : { event_lock: eventLock }),
    head: { seq: board.headSeq, chain: board.headChain },
    updated_at: isoTime(board.updatedAt),
  }
}

/** Returns the active lock, or else the next one. */
function findEventLock({ eventLocks, openedAt }: Board, now: number): BoardRecord['event_lock'] {
  const counted = eventLocks.filter(
    ({ closesAt, reopensAt }) =>
      (reopensAt === null || reopensAt > now) && (openedAt === null || closesAt > openedAt),
  )
  const [first] = counted.toSorted((one, other) => one.closesAt - other.closesAt)
  if (first === undefined) return undefined
  const { closesAt, lateUntil, reopensAt } = first
  return { locks_at: isoTime(closesAt), late_until: isoTime(lateUntil), opens_at: isoTime(reopensAt) }
}

/** Allowance for differing clocks. An organiser who locks right at the deadline must not be refused because it has just passed. */
const leewayMs = 60_000

/**
 * Returns the time from which the board is locked; null means now. `now` in Unix ms. Throws ApiError `invalid_request`, with a hint what to
 * send instead, for a time that is probably a mistake.
 */
function chooseLockTime(
  body: { readonly lock_at?: string | null; readonly now?: boolean | null },
  now: number,
): number | null {
  if (typeof body.lock_at !== 'string') return null
  const lockAt = parseMoment('lock_at', body.lock_at)
  if (body.now === true && lockAt > now)
    throw refuseValue('now', `the time ${body.lock_at} is in the future. Send lock_at or now, not both.`)
  if (body.now !== true && lockAt < now - leewayMs)
    throw refuseValue(
      'lock_at',
      `${body.lock_at} is in the past, so the board would be locked at once. Check the date and the offset. ` +
        'To lock now, leave out lock_at (--at); to keep this time anyway, add now: true (--now).',
    )
  return lockAt
}
