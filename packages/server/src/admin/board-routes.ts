// POST /team/lock and /team/unlock: closes and opens a team's board (spec 3.3). GET /logs/boards shows all boards.

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
      summary: "Lock a team's board, now or at a set time",
      description:
        'Once this has answered no further entry is stored; reading still works. A set time does not open a board that is locked already. ' +
        'One that lies more than a minute in the past is refused unless `now` is true: it would lock the board at once.',
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
        'A set time is taken away too. A lock that the event has put on the board by now no longer counts for it; later ones do.',
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
    summary: 'The board of every team, or of one: lock, number of entries and head of the chain',
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

/** A board counts as locked from its set time on. `now` in Unix ms. */
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

/** The lock in force, or else the next one. */
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

/** Clocks differ, and an organiser who locks right at the deadline must not be told that it has just passed. */
const leewayMs = 60_000

/**
 * From when on a board is locked; null means now. `now` in Unix ms. Throws ApiError `invalid_request`, which says what to send instead,
 * for a time that was hardly meant.
 */
function chooseLockTime(
  body: { readonly lock_at?: string | null; readonly now?: boolean | null },
  now: number,
): number | null {
  if (typeof body.lock_at !== 'string') return null
  const lockAt = parseMoment('lock_at', body.lock_at)
  if (body.now === true && lockAt > now)
    throw refuseValue('now', `the time ${body.lock_at} is still to come. Send lock_at or now, not both.`)
  if (body.now !== true && lockAt < now - leewayMs)
    throw refuseValue(
      'lock_at',
      `${body.lock_at} lies in the past, and the board would be locked at once. Is the date right, and the offset? ` +
        'To lock now, leave lock_at (--at) out; to keep this time all the same, add now: true (--now).',
    )
  return lockAt
}
