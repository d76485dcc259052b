// `fairgate team …`: teams with their budgets and limits.
import {
  type TeamInfo,
  type TeamRecord,
  teamInfoSchema,
  teamRecordSchema,
} from '@fairgate/contracts/info/team-record.ts'
import {
  type ListedTeam,
  type TeamFields,
  teamListSchema,
  updatedTeamSchema,
} from '@fairgate/contracts/management/team-bodies.ts'
import type { Command } from 'commander'
import { addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { addLimitOptions, buildLimitFields, type LimitOptions, noneHelp, requireChange } from '../options.ts'
import {
  absent,
  describeState,
  formatFields,
  formatLimit,
  formatList,
  formatPeriod,
  formatSpend,
  formatTable,
  formatUsd,
} from '../output/format.ts'
import { addLockCommands } from './board.ts'

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

const teamArgument = ['<team>', 'id of the team'] as const

const blockings = [
  ['block', 'stop all keys of a team'],
  ['unblock', 'let the keys of a team work again'],
] as const

export function addTeamCommands(program: Command, context: CommandContext): void {
  const { show } = context
  const group = program.command('team').description('teams, their budgets and limits')
  group.addHelpText('after', groupHelp)

  const create = group
    .command('new')
    .description('create a team')
    .option('--id <id>', 'letters, digits, dot, underscore and hyphen (default: made by the server)')
    .option('--alias <alias>', 'name for people')
  addLimitOptions(create, 'the whole catalog')
    .addHelpText('after', newHelp)
    .action(async (options: NewTeamOptions) => {
      const body = { ...(options.id === undefined ? {} : { team_id: options.id }), ...buildFields(options) }
      await show({ post: '/team/new', body }, teamRecordSchema, team => `Team made.\n\n${describeTeam(team)}`)
    })

  group
    .command('list')
    .description('all teams')
    .action(() => show({ get: '/team/list' }, teamListSchema, describeTeams))
  addRequest(group, context, {
    verb: 'show',
    description: 'one team with its keys',
    argument: teamArgument,
    request: team => ({ get: '/team/info', query: { team_id: team } }),
    reply: teamInfoSchema,
    describe: describeTeamInfo,
  })

  const update = group
    .command('update')
    .description('change a team; in force at once')
    .argument(...teamArgument)
    .option('--alias <alias>', 'name for people')
  addLimitOptions(update, 'the whole catalog')
    .addHelpText('after', updateHelp)
    .action(async (team: string, options: TeamOptions) => {
      const body = { team_id: team, ...requireChange(buildFields(options)) }
      await show({ post: '/team/update', body }, updatedTeamSchema, ({ data }) => describeTeam(data))
    })

  for (const [verb, description] of blockings) {
    addRequest(group, context, {
      verb,
      description,
      argument: teamArgument,
      request: team => ({ post: `/team/${verb}`, body: { team_id: team } }),
      reply: teamRecordSchema,
      describe: ({ team_id, blocked }) =>
        blocked ? `Team ${team_id} is blocked: none of its keys work.` : `Team ${team_id} is not blocked.`,
    })
  }
  addLockCommands(group, context)
}

function buildFields(options: TeamOptions): TeamFields {
  return {
    ...(options.alias === undefined ? {} : { team_alias: options.alias }),
    ...buildLimitFields(options),
  }
}

function describeTeams(teams: readonly ListedTeam[]): string {
  if (teams.length === 0) return 'No teams yet. Make one with "fairgate team new".'
  const titles = ['TEAM', 'ALIAS', 'SPENT', 'BUDGET', 'PERIOD', 'RPM', 'TPM', 'KEYS', 'STATE']
  return formatTable(
    titles,
    teams.map(team => [
      team.team_id,
      team.team_alias,
      formatUsd(team.spend),
      team.max_budget === null ? absent : formatUsd(team.max_budget),
      team.budget_duration ?? absent,
      team.rpm_limit === null ? absent : String(team.rpm_limit),
      team.tpm_limit === null ? absent : String(team.tpm_limit),
      String(team.keys.length),
      describeState(team.blocked),
    ]),
  )
}

function describeTeam(team: TeamRecord): string {
  return formatFields([
    ['team', team.team_id],
    ['alias', team.team_alias],
    ['state', describeState(team.blocked)],
    ['spent', formatSpend(team.spend, team.max_budget)],
    ['held', `${formatUsd(team.held)} USD for running calls`],
    ['period', formatPeriod(team.budget_duration, team.budget_reset_at)],
    ['rpm', formatLimit(team.rpm_limit)],
    ['tpm', formatLimit(team.tpm_limit)],
    ...Object.entries(team.metadata.model_rpm_limit).map(
      ([model, limit]) => [`rpm of ${model}`, String(limit)] as const,
    ),
    ...Object.entries(team.metadata.model_tpm_limit).map(
      ([model, limit]) => [`tpm of ${model}`, String(limit)] as const,
    ),
    ['models', formatList(team.models, 'the whole catalog')],
    ['created', `${team.created_at} by ${team.created_by}`],
    ['updated', `${team.updated_at} by ${team.updated_by}`],
  ])
}

function describeTeamInfo({ team_info: team, keys }: TeamInfo): string {
  if (keys.length === 0) return `${describeTeam(team)}\n\nNo keys.`
  const table = formatTable(
    ['KEY', 'ALIAS', 'SPENT', 'EXPIRES', 'STATE'],
    keys.map(key => [
      key.key_name,
      key.key_alias,
      formatUsd(key.spend),
      key.expires ?? 'never',
      describeState(key.blocked),
    ]),
  )
  return `${describeTeam(team)}\n\n${table}`
}
