// POST /team/lock and /team/unlock: closes and opens a team's board (spec 3.3).
import { boardSchema, lockBoardBodySchema } from '@fairgate/contracts/management/boards.ts'
import { teamIdBodySchema } from '@fairgate/contracts/management/team-bodies.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { answer } from '../answer.ts'
import type { AdminCaller } from '../authenticate-admin.ts'
import { buildBoardRecord } from './build-board-record.ts'
import { chooseLockTime } from './choose-lock-time.ts'

export type LockBoardDependencies = {
  readonly directory: Pick<Directory, 'lockBoard' | 'unlockBoard'>
  /** Unix ms. */
  readonly clock: () => number
}

const tag = 'Boards'

export function lockBoardRoutes({ directory, clock }: LockBoardDependencies): Route<AdminCaller>[] {
  return [
    defineRoute<AdminCaller, typeof lockBoardBodySchema, undefined>({
      method: 'POST',
      path: '/team/lock',
      tag,
      summary: "Lock a team's board, now or at a set time",
      description:
        'Once this has answered no further entry is stored; reading still works. A set time does not open a board that is locked already. ' +
        'One that lies more than a minute in the past is refused unless `now` is true: it would lock the board at once.',
      body: lockBoardBodySchema,
      replies: { 200: boardSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'team_not_found', 'unavailable'],
      handle: async ({ actor }, { body }) => {
        const lockAt = chooseLockTime(body, clock())
        return answer(buildBoardRecord(await directory.lockBoard(body.team_id, lockAt, actor), clock()))
      },
    }),
    defineRoute<AdminCaller, typeof teamIdBodySchema, undefined>({
      method: 'POST',
      path: '/team/unlock',
      tag,
      summary: "Open a team's board again",
      description: 'A set time is taken away too.',
      body: teamIdBodySchema,
      replies: { 200: boardSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'team_not_found', 'unavailable'],
      handle: async ({ actor }, { body }) =>
        answer(buildBoardRecord(await directory.unlockBoard(body.team_id, actor), clock())),
    }),
  ]
}
