// `fairgate team …`: teams with their budgets and limits.
import { teamInfoSchema, teamRecordSchema } from '@fairgate/contracts/info/team-record.ts'
import {
  type TeamFields,
  teamListSchema,
  updatedTeamSchema,
} from '@fairgate/contracts/management/team-bodies.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addLimitOptions, buildLimitFields, type LimitOptions, noneHelp } from '../options/limit-options.ts'
import { requireChange } from '../options/require-change.ts'
import { describeTeam, describeTeamInfo, describeTeams } from '../output/describe-team.ts'
import { addLockCommands } from './lock.ts'

type TeamOptions = LimitOptions & { readonly alias?: string }
type NewTeamOptions = TeamOptions & { readonly id?: string }

const groupHelp = `
Examples:
  $ fairgate team new --id team-01 --alias "Blue team" --budget 50 --budget-duration 1d
  $ fairgate team update team-01 --rpm 120 --tpm none
  $ fairgate team list --json`

const newHelp = `
${noneHelp}

Examples:
  $ fairgate team new --id team-01 --budget 50 --budget-duration 1d --rpm 60 --tpm 200000
  $ fairgate team new --id team-02 --models mm-2.5-flash --model-rpm mm-2.5-flash=30`

const updateHelp = `
${noneHelp}
What is not named stays as it is.

Examples:
  $ fairgate team update team-01 --budget 80
  $ fairgate team update team-01 --rpm none --models none`

export function addTeamCommands(program: Command, context: CommandContext): void {
  const group = program.command('team').description('teams, their budgets and limits')
  group.addHelpText('after', groupHelp)
  addNewCommand(group, context)
  addReadCommands(group, context)
  addUpdateCommand(group, context)
  addBlockCommand(group, context, 'block', 'stop all keys of a team')
  addBlockCommand(group, context, 'unblock', 'let the keys of a team work again')
  addLockCommands(group, context)
}

function addNewCommand(group: Command, { show }: CommandContext): void {
  const command = group
    .command('new')
    .description('create a team')
    .option('--id <id>', 'letters, digits, dot, underscore and hyphen (default: made by the server)')
    .option('--alias <alias>', 'name for people')
  addLimitOptions(command, 'the whole catalog')
    .addHelpText('after', newHelp)
    .action(async (options: NewTeamOptions) => {
      const body = { ...(options.id === undefined ? {} : { team_id: options.id }), ...buildFields(options) }
      const describe = (team: Parameters<typeof describeTeam>[0]) => `Team made.\n\n${describeTeam(team)}`
      await show({ post: '/team/new', body }, teamRecordSchema, describe)
    })
}

function addReadCommands(group: Command, { show }: CommandContext): void {
  group
    .command('list')
    .description('all teams')
    .action(async () => {
      await show({ get: '/team/list' }, teamListSchema, describeTeams)
    })
  group
    .command('show')
    .description('one team with its keys')
    .argument('<team>', 'id of the team')
    .action(async (team: string) => {
      await show({ get: '/team/info', query: { team_id: team } }, teamInfoSchema, describeTeamInfo)
    })
}

function addUpdateCommand(group: Command, { show }: CommandContext): void {
  const command = group
    .command('update')
    .description('change a team; in force at once')
    .argument('<team>', 'id of the team')
    .option('--alias <alias>', 'name for people')
  addLimitOptions(command, 'the whole catalog')
    .addHelpText('after', updateHelp)
    .action(async (team: string, options: TeamOptions) => {
      const body = { team_id: team, ...requireChange(buildFields(options)) }
      await show({ post: '/team/update', body }, updatedTeamSchema, ({ data }) => describeTeam(data))
    })
}

function addBlockCommand(
  group: Command,
  { show }: CommandContext,
  verb: 'block' | 'unblock',
  description: string,
): void {
  group
    .command(verb)
    .description(description)
    .argument('<team>', 'id of the team')
    .action(async (team: string) => {
      await show({ post: `/team/${verb}`, body: { team_id: team } }, teamRecordSchema, record =>
        record.blocked
          ? `Team ${record.team_id} is blocked: none of its keys work.`
          : `Team ${record.team_id} is not blocked.`,
      )
    })
}

function buildFields(options: TeamOptions): TeamFields {
  return {
    ...(options.alias === undefined ? {} : { team_alias: options.alias }),
    ...buildLimitFields(options),
  }
}
