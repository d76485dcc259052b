// `fairgate board …`: the boards of the teams and their locks.
import { boardListSchema } from '@fairgate/contracts/management/boards.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addTeamFilter, chooseTeam, type TeamOption } from '../options/team-filter.ts'
import { describeBoards } from '../output/describe-board.ts'
import { addLockCommands } from './lock.ts'

const help = `
Examples:
  $ fairgate board list
  $ fairgate board list team-01
  $ fairgate board lock team-01
  $ fairgate board lock team-01 --at 2026-11-21T18:00:00+09:00
  $ fairgate board unlock team-01`

export function addBoardCommands(program: Command, context: CommandContext): void {
  const group = program.command('board').description('boards of the teams and their locks')
  group.addHelpText('after', help)
  addTeamFilter(group.command('list'))
    .description('the boards of all teams or one: lock, number of entries and head of the chain')
    .action(async (argument: string | undefined, options: TeamOption) => {
      const query = { team_id: chooseTeam(argument, options) }
      await context.show({ get: '/logs/boards', query }, boardListSchema, describeBoards)
    })
  addLockCommands(group, context)
}
