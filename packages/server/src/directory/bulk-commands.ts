// Actions on many teams: planned first, then one write for all of them with one audit row for each, or nothing at all.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type {
  ChosenTeams,
  ChosenTeamsBody,
  LockTeamsBody,
  UpdateTeamsBody,
} from '@fairgate/contracts/management/bulk.ts'
import type { OwnerChanges } from '@fairgate/contracts/management/owner-fields.ts'
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import type { DeleteTeamsBody } from '@fairgate/contracts/management/team-bodies.ts'
import { type Board, isLockedByHand } from '../store/statements/boards.ts'
import type { Store } from '../store/store.ts'
import { applyTeamFields } from './apply-fields.ts'
import { auditTeam } from './audit.ts'
import type { CommandDependencies } from './commands.ts'
import type { DirectoryLookups } from './directory-memory.ts'
import { toTeamRow } from './directory-rows.ts'
import { phaseAt } from './event/event.ts'
import { listTeamChanges } from './list-changes.ts'
import { parseMoment } from './parse-times.ts'
import { type ActionOutcome, carryOut, type Plan, planChange } from './planned-action.ts'
import { requireTeam } from './refusals.ts'
import type { Team } from './types.ts'

export type BulkOutcome = ActionOutcome & {
  /** Teams that the action covers, changed or not. */
  readonly teams: number
  /** Links the audit rows; null if nothing was changed. */
  readonly bulkId: string | null
}

/** Clocks differ: an organiser who locks right on time must not get a warning that it has just passed. */
const leewayMs = 60_000

type BulkPlan<Each> = { readonly plan: Plan; readonly teams: number; readonly altered: readonly Each[] }

/** `write`: the number of the change; null if another writer was faster. With no changes nothing is written. */
export async function carryOutBulk<Each>(
  { memory, run, clock, newId }: Pick<CommandDependencies, 'memory' | 'run' | 'clock' | 'newId'>,
  body: ActionBody,
  plan: (now: number) => BulkPlan<Each> | Promise<BulkPlan<Each>>,
  write: (altered: readonly Each[], bulkId: string, now: number) => Promise<number | null>,
): Promise<BulkOutcome> {
  let teams = 0
  const { outcome, made } = await carryOut({ run, clock }, body, {
    plan: async now => {
      const planned = await plan(now)
      teams = planned.teams
      return planned
    },
    make: async ({ altered }, now) => {
      if (altered.length === 0) return { version: memory.version(), result: null }
      const bulkId = `bulk_${newId()}`
      const version = await write(altered, bulkId, now)
      return version === null ? null : { version, result: bulkId }
    },
  })
  return { ...outcome, teams, bulkId: made }
}

/**
 * All or none. `actor` made the change, for the audit. Actions throw ApiError `team_not_found`, `invalid_request` naming the member and the
 * team, `preview_outdated` and `conflict` (409).
 */
export function createBulkCommands(
  dependencies: CommandDependencies,
  { listBoards }: Pick<Store['read'], 'listBoards'>,
) {
  const { memory, write, resolveModel } = dependencies
  const alterTeams = (
    body: Pick<ChosenTeamsBody, 'teams' | 'where'> & ActionBody,
    fields: OwnerChanges,
    action: string,
    actor: string,
    finish: (after: Team, now: number) => Team = after => after,
  ): Promise<BulkOutcome> =>
    carryOutBulk(
      dependencies,
      body,
      now => {
        const chosen = chooseTeams(memory, body)
        const all = chosen.map(before => {
          const apply = () => applyTeamFields(before, fields, { resolveModel, now, actor })
          const after = nameTeam(before, () => finish(apply(), now))
          return { before, after, changes: listTeamChanges(before, after) }
        })
        const altered = all.filter(({ changes }) => changes.length > 0)
        const plan = {
          changes: altered.flatMap(({ changes }) => changes),
          warnings: warnOfPhase(fields, now),
          basis: altered.map(({ before }) => memory.versionOf(before)),
        }
        return { plan, teams: chosen.length, altered }
      },
      async (altered, bulkId, now) => {
        const version = await write.updateTeams({
          teams: altered.map(({ before, after }) => ({
            team: toTeamRow(after),
            seen: memory.versionOf(before),
          })),
          audit: altered.map(({ before, after }) =>
            auditTeam({ now, actor, reason: body.reason, bulkId }, action, before, after),
          ),
        })
        if (version !== null) memory.note(version, { teams: altered.map(({ after }) => after) })
        return version
      },
    )

  /** A phase with its own budget replaces the teams' budgets, so changing those would have no visible effect. */
  const warnOfPhase = ({ max_budget }: OwnerChanges, now: number): string[] => {
    const phase = phaseAt(memory.event(), now)
    if (max_budget === undefined || phase === null || phase.budgetNano === null) return []
    return [
      `The budget of the phase "${phase.name}" replaces the teams' budgets until it ends. To give more in this phase, make a grant.`,
    ]
  }

  const alterLocks = (
    body: ChosenTeamsBody,
    change: 'lock' | 'unlock' | { readonly lockAt: number },
    action: string,
    actor: string,
  ): Promise<BulkOutcome> =>
    carryOutBulk(
      dependencies,
      body,
      async now => {
        const chosen = chooseTeams(memory, body)
        const boards = new Map((await listBoards()).map(board => [board.teamId, board]))
        const all = chosen.map(({ teamId }) => ({
          teamId,
          changes: planLock(boards.get(teamId), teamId, change, now),
        }))
        const altered = all.filter(({ changes }) => changes.length > 0)
        const plan = {
          changes: altered.flatMap(({ changes }) => changes),
          warnings:
            typeof change === 'object' && change.lockAt < now - leewayMs
              ? [`${isoTime(change.lockAt)} is in the past: the boards would be locked at once.`]
              : [],
        }
        return { plan, teams: chosen.length, altered }
      },
      async (altered, bulkId, now) => {
        const { version } = await write.changeBoardLocks({
          teamIds: altered.map(({ teamId }) => teamId),
          change,
          now,
          audit: { actor, action, reason: body.reason ?? null, bulk_id: bulkId },
        })
        memory.note(version, {})
        return version
      },
    )

  return {
    updateTeams: (body: UpdateTeamsBody, actor: string) => {
      const {
        teams: _teams,
        where: _where,
        reason: _reason,
        dry_run: _dry,
        preview_id: _id,
        ...fields
      } = body
      return alterTeams(body, fields, 'team.update', actor)
    },
    /** All keys of a blocked team stop working. */
    setTeamsBlocked: (body: ChosenTeamsBody, blocked: boolean, actor: string) =>
      alterTeams(body, { blocked }, blocked ? 'team.block' : 'team.unblock', actor),
    /** Blocks them and leaves them out of lists; nothing is erased. Unblocking a team shows it again. */
    hideTeams: ({ team_ids: teams, ...request }: DeleteTeamsBody, actor: string) =>
      alterTeams({ teams, ...request }, { blocked: true }, 'team.delete', actor, (team, now) => ({
        ...team,
        hiddenAt: team.hiddenAt ?? now,
      })),
    /** A time in the past gets a warning. */
    lockBoards: ({ lock_at: lockAt, ...body }: LockTeamsBody, actor: string) =>
      typeof lockAt === 'string'
        ? alterLocks(body, { lockAt: parseMoment('lock_at', lockAt) }, 'board.schedule', actor)
        : alterLocks(body, 'lock', 'board.lock', actor),
    unlockBoards: (body: ChosenTeamsBody, actor: string) => alterLocks(body, 'unlock', 'board.unlock', actor),
  }
}

/** Mirrors the statement: once the lock time has passed, the board stays locked. */
function planLock(
  board: Board | undefined,
  teamId: string,
  change: 'lock' | 'unlock' | { readonly lockAt: number },
  now: number,
): Plan['changes'] {
  const wasLocked = board !== undefined && isLockedByHand(board, now)
  const willLock = typeof change === 'object' ? wasLocked || change.lockAt <= now : change === 'lock'
  const lockAt = typeof change === 'object' ? change.lockAt : null
  return [
    ...planChange('board.locked', teamId, wasLocked, willLock),
    ...planChange('board.lock_at', teamId, isoTime(board?.lockAt ?? null), isoTime(lockAt)),
  ]
}

/** Among many teams, the error names the one at fault. */
function nameTeam(team: Team, apply: () => Team): Team {
  try {
    return apply()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const param = error.param === null ? {} : { param: error.param }
    const message = `Team "${team.teamId}": ${error.message} No team was changed.`
    throw new ApiError(error.code, { message, ...param, cause: error })
  }
}

/**
 * Each team once, in order of creation; hidden ones only if they are named. Throws ApiError `team_not_found`, and `invalid_request` if none
 * is left.
 */
export function chooseTeams(
  lookups: Pick<DirectoryLookups, 'findTeam' | 'teams'>,
  { teams, where }: ChosenTeams,
): readonly Team[] {
  const named =
    teams === 'all' ? lookups.teams() : [...new Set(teams.map(teamId => requireTeam(lookups, teamId)))]
  const tag = where?.tag
  const chosen = named
    .filter(team => tag === undefined || tagsOf(team).includes(tag))
    .sort((one, other) => one.createdAt - other.createdAt)
  if (chosen.length > 0) return chosen
  if (tag === undefined) throw invalidRequest('teams', 'There are no teams yet.')
  throw invalidRequest('where.tag', `None of these teams has the tag "${tag}".`)
}

function tagsOf({ metadata: { tags } }: Team): readonly unknown[] {
  return Array.isArray(tags) ? tags : []
}
