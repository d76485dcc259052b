// Creates and changes teams and locks their boards: one audited write each, which applies at once.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { NewTeamBody, UpdateTeamBody } from '@fairgate/contracts/management/team-bodies.ts'
import type { ChangeBoardLocksInput } from '../store/statements/board-changes.ts'
import { applyTeamFields, buildNewTeam } from './apply-fields.ts'
import { auditTeam } from './audit.ts'
import type { CommandDependencies } from './commands.ts'
import { toTeamRow } from './directory-rows.ts'
import { requireTeam } from './refusals.ts'
import type { Team } from './types.ts'

/** `actor` made the change, for the audit. Changes throw ApiError `conflict` (409) if other writers kept winning. */
export function createTeamCommands(dependencies: CommandDependencies) {
  const { memory, write, run, clock, newId, resolveModel } = dependencies

  const change = (teamId: string, action: string, actor: string, alter: (team: Team, now: number) => Team) =>
    run(async () => {
      const before = requireTeam(memory, teamId)
      const now = clock()
      const after = alter(before, now)
      const audit = auditTeam({ now, actor }, action, before, after)
      const seen = memory.versionOf(before)
      const version = await write.updateTeam({ row: toTeamRow(after), seen, audit })
      return memory.commit(version, { teams: [after] }, after)
    })

  const changeLock = (
    teamId: string,
    change: ChangeBoardLocksInput['change'],
    action: string,
    actor: string,
  ) =>
    run(async () => {
      requireTeam(memory, teamId)
      const input = { teamIds: [teamId], change, now: clock(), audit: { actor, action } }
      const { boards, version } = await write.changeBoardLocks(input)
      const [board] = boards
      if (board === undefined) throw new Error('The changed board was not returned.')
      return memory.commit(version, {}, board)
    })

  const refuseTaken = (teamId: string): ApiError =>
    new ApiError('conflict', { param: 'team_id', message: `The team "${teamId}" exists already.` })

  return {
    /** Throws ApiError `conflict` (409) if the team_id is taken, `invalid_request` naming the member. */
    createTeam: ({ team_id, ...fields }: NewTeamBody, actor: string) =>
      run(async () => {
        const teamId = team_id ?? newId()
        if (memory.findTeam(teamId) !== undefined) throw refuseTaken(teamId)
        const now = clock()
        const team = buildNewTeam(teamId, fields, { resolveModel, now, actor })
        const audit = auditTeam({ now, actor }, 'team.new', null, team)
        const version = await write.insertTeam({ team: toTeamRow(team), audit })
        // Another process was faster.
        if (version === null) throw refuseTaken(teamId)
        return memory.commit(version, { teams: [team] }, team)
      }),
    /** Throws ApiError `team_not_found`, `invalid_request`. */
    updateTeam: ({ team_id, ...fields }: UpdateTeamBody, actor: string) =>
      change(team_id, 'team.update', actor, (team, now) =>
        applyTeamFields(team, fields, { resolveModel, now, actor }),
      ),
    /** All keys of a blocked team stop working. Throws ApiError `team_not_found`. */
    setTeamBlocked: (teamId: string, blocked: boolean, actor: string) =>
      change(teamId, blocked ? 'team.block' : 'team.unblock', actor, (team, now) =>
        applyTeamFields(team, { blocked }, { resolveModel, now, actor }),
      ),
    /** Locks now, or from `lockAt` (Unix ms) on. Throws ApiError `team_not_found`. */
    lockBoard: (teamId: string, lockAt: number | null, actor: string) =>
      lockAt === null
        ? changeLock(teamId, 'lock', 'board.lock', actor)
        : changeLock(teamId, { lockAt }, 'board.schedule', actor),
    /** Also removes a scheduled lock. Throws ApiError `team_not_found`. */
    unlockBoard: (teamId: string, actor: string) => changeLock(teamId, 'unlock', 'board.unlock', actor),
  }
}
