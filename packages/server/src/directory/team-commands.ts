// Creates and changes teams and locks their boards: one audited write each, in force at once.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { NewTeamBody, UpdateTeamBody } from '@fairgate/contracts/management/team-bodies.ts'
import type { Board } from '../store/statements/boards.ts'
import { applyTeamFields, buildNewTeam } from './apply-fields.ts'
import type { CommandDependencies } from './commands.ts'
import { toAuditRow, toTeamRow } from './directory-rows.ts'
import { buildTeamSettings } from './records.ts'
import { requireTeam } from './refusals.ts'
import type { Team } from './types.ts'

/** `actor` is who did it, for the audit. */
export type TeamCommands = {
  /** Throws ApiError `conflict` (409) when the team_id is taken, `invalid_request` naming the member. */
  readonly createTeam: (body: NewTeamBody, actor: string) => Promise<Team>
  /** Throws ApiError `team_not_found`, `invalid_request`. */
  readonly updateTeam: (body: UpdateTeamBody, actor: string) => Promise<Team>
  /** All keys of a blocked team stop working. Throws ApiError `team_not_found`. */
  readonly setTeamBlocked: (teamId: string, blocked: boolean, actor: string) => Promise<Team>
  /** Locks now, or from `lockAt` (Unix ms) on. Throws ApiError `team_not_found`. */
  readonly lockBoard: (teamId: string, lockAt: number | null, actor: string) => Promise<Board>
  /** Also takes a set time away. Throws ApiError `team_not_found`. */
  readonly unlockBoard: (teamId: string, actor: string) => Promise<Board>
}

export function createTeamCommands(dependencies: CommandDependencies): TeamCommands {
  const { memory, write, inTurn, clock, newId, resolveModel } = dependencies

  const change = (teamId: string, action: string, actor: string, alter: (team: Team, now: number) => Team) =>
    inTurn(async () => {
      const before = requireTeam(memory, teamId)
      const now = clock()
      const after = alter(before, now)
      const states = { before: buildTeamSettings(before), after: buildTeamSettings(after) }
      const audit = toAuditRow(now, { action, actor, teamId, target: teamId, ...states })
      await write.updateTeam({ team: toTeamRow(after), audit })
      memory.setTeam(after)
      return after
    })

  return {
    createTeam: ({ team_id, ...fields }, actor) =>
      inTurn(async () => {
        const teamId = team_id ?? newId()
        if (memory.findTeam(teamId) !== undefined) {
          throw new ApiError('conflict', {
            param: 'team_id',
            message: `The team "${teamId}" exists already.`,
          })
        }
        const now = clock()
        const team = buildNewTeam(teamId, fields, { resolveModel, now, actor })
        const states = { before: null, after: buildTeamSettings(team) }
        const audit = toAuditRow(now, { action: 'team.new', actor, teamId, target: teamId, ...states })
        await write.insertTeam({ team: toTeamRow(team), audit })
        memory.setTeam(team)
        return team
      }),
    updateTeam: ({ team_id, ...fields }, actor) =>
      change(team_id, 'team.update', actor, (team, now) =>
        applyTeamFields(team, fields, { resolveModel, now, actor }),
      ),
    setTeamBlocked: (teamId, blocked, actor) =>
      change(teamId, blocked ? 'team.block' : 'team.unblock', actor, (team, now) =>
        applyTeamFields(team, { blocked }, { resolveModel, now, actor }),
      ),
    lockBoard: (teamId, lockAt, actor) =>
      inTurn(async () => {
        requireTeam(memory, teamId)
        const audit = { actor, action: lockAt === null ? 'board.lock' : 'board.schedule' }
        return write.changeBoardLock({
          teamId,
          change: lockAt === null ? 'lock' : { lockAt },
          now: clock(),
          audit,
        })
      }),
    unlockBoard: (teamId, actor) =>
      inTurn(async () => {
        requireTeam(memory, teamId)
        return write.changeBoardLock({
          teamId,
          change: 'unlock',
          now: clock(),
          audit: { actor, action: 'board.unlock' },
        })
      }),
  }
}
