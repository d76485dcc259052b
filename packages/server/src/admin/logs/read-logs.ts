// GET /logs/verify and /logs/boards: whether a team's log is what was acknowledged, and the state of every board.
import { boardListSchema, boardsQuerySchema } from '@fairgate/contracts/management/boards.ts'
import {
  type LogVerification,
  logVerificationSchema,
} from '@fairgate/contracts/management/log-verification.ts'
import { teamIdQuerySchema } from '@fairgate/contracts/management/team-bodies.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { requireTeam } from '../../directory/require-entity.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { Board } from '../../store/statements/boards.ts'
import { answer } from '../answer.ts'
import type { AdminCaller } from '../authenticate-admin.ts'
import { buildBoardRecord } from '../boards/build-board-record.ts'

/** What the check of a team's chain found; `checked` is the number of intact entries. */
export type VerifiedChain =
  | {
      readonly ok: true
      readonly checked: number
      readonly head: { readonly seq: number; readonly chain: string }
    }
  | { readonly ok: false; readonly checked: number; readonly seq: number; readonly problem: string }

export type ReadLogsDependencies = {
  readonly directory: Pick<Directory, 'findTeam'>
  readonly verifyTeam: (teamId: string) => Promise<VerifiedChain>
  readonly listBoards: () => Promise<readonly Board[]>
  /** Unix ms. */
  readonly clock: () => number
}

const tag = 'Logs'

export function readLogsRoutes(dependencies: ReadLogsDependencies): Route<AdminCaller>[] {
  const { directory, verifyTeam, listBoards, clock } = dependencies
  return [
    defineRoute<AdminCaller, undefined, typeof teamIdQuerySchema>({
      method: 'GET',
      path: '/logs/verify',
      tag,
      summary: "Recompute a team's hash chain from what is stored",
      query: teamIdQuerySchema,
      replies: { 200: logVerificationSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'team_not_found', 'unavailable'],
      handle: async (_caller, context) => {
        const { teamId } = requireTeam(directory, context.query.team_id)
        // Millions of entries take longer than a silent connection lives.
        context.keepOpen()
        return answer(describeChain(teamId, await verifyTeam(teamId)))
      },
    }),
    defineRoute<AdminCaller, undefined, typeof boardsQuerySchema>({
      method: 'GET',
      path: '/logs/boards',
      tag,
      summary: 'The board of every team, or of one: lock, number of entries and head of the chain',
      query: boardsQuerySchema,
      replies: { 200: boardListSchema },
      errors: ['admin_unauthorized', 'team_not_found', 'unavailable'],
      handle: async (_caller, { query: { team_id } }) => {
        if (team_id !== undefined) requireTeam(directory, team_id)
        const now = clock()
        const boards = await listBoards()
        const shown = boards.filter(({ teamId }) => team_id === undefined || teamId === team_id)
        return answer({ boards: shown.map(board => buildBoardRecord(board, now)) })
      },
    }),
  ]
}

function describeChain(teamId: string, chain: VerifiedChain): LogVerification {
  return {
    team_id: teamId,
    ok: chain.ok,
    entries: chain.checked,
    head: chain.ok ? { ...chain.head } : null,
    problem: chain.ok ? null : { seq: chain.seq, kind: chain.problem },
  }
}
