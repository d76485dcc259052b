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
import {
  type ClearUnchargedReply,
  clearUnchargedReplySchema,
} from '@fairgate/contracts/management/uncharged.ts'
import type { Command } from 'commander'
import { dryRunOption, type RunAct, showAct } from '../acts.ts'
import { addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { addManyTeamsOptions, type ManyTeamsOptions, manyTeamsHelp, runOnTeams } from '../many-teams.ts'
import {
  addLimitChangeOptions,
  addLimitOptions,
  buildLimitFields,
  changeHelp,
  type LimitOptions,
  noneHelp,
  requireChange,
} from '../options.ts'
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
${changeHelp}

Examples:
  $ fairgate team update team-01 --budget 80
  $ fairgate team update team-01 --set-model-rpm mm-2.5-pro=5 --unset-model-rpm mm-2.5-flash
  $ fairgate team update team-01 --rpm none --models none
  $ fairgate team update --all --budget 80 --dry-run
  $ fairgate team update --where tag=final --rpm 300 --reason "final round"
${manyTeamsHelp}`

const optionalTeam = ['[team]', 'id of the team'] as const
const teamArgument = ['<team>', 'id of the team'] as const

const blockings = [
  ['block', 'stop all keys of a team, or of many'],
  ['unblock', 'let the keys of a team work again, or of many'],
] as const

export function addTeamCommands(program: Command, context: CommandContext, runAct: RunAct): void {
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
    .description('change a team, or many; in force at once')
    .argument(...optionalTeam)
    .option('--alias <alias>', 'name for people')
  addManyTeamsOptions(addLimitChangeOptions(update, 'the whole catalog'))
    .addHelpText('after', updateHelp)
    .action(async (team: string | undefined, options: TeamOptions & ManyTeamsOptions) => {
      const fields = requireChange(buildFields(options))
      await runOnTeams(team, options, {
        path: '/teams/update',
        fields,
        one: team_id =>
          show({ post: '/team/update', body: { team_id, ...fields } }, updatedTeamSchema, ({ data }) =>
            describeTeam(data),
          ),
        runAct,
      })
    })

  for (const [verb, description] of blockings) {
    const command = group
      .command(verb)
      .description(description)
      .argument(...optionalTeam)
    addManyTeamsOptions(command)
      .addHelpText('after', manyTeamsHelp)
      .action((team: string | undefined, options: ManyTeamsOptions) =>
        runOnTeams(team, options, {
          path: `/teams/${verb}`,
          one: team_id =>
            show(
              { post: `/team/${verb}`, body: { team_id } },
              teamRecordSchema,
              ({ team_id: id, blocked }) =>
                blocked ? `Team ${id} is blocked: none of its keys work.` : `Team ${id} is not blocked.`,
            ),
          runAct,
        }),
      )
  }
  group
    .command('clear-uncharged')
    .description('hold the calls of a team by their estimates again, after some used more than was held')
    .argument(...teamArgument)
    .requiredOption('--reason <text>', 'why; stands in the audit')
    .option(...dryRunOption)
    .action((team: string, options: { readonly reason: string; readonly dryRun?: boolean }) => {
      const request = { post: `/team/${encodeURIComponent(team)}/uncharged/clear`, body: {} }
      return showAct(context, request, options, clearUnchargedReplySchema, describeCleared)
    })
  addLockCommands(group, context, runAct)
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
      team.current_budget === null ? absent : formatUsd(team.current_budget),
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
    ['spent', formatSpend(team.spend, team.current_budget)],
    ...(team.max_budget === team.current_budget
      ? []
      : [['own budget', team.max_budget === null ? 'none' : `${formatUsd(team.max_budget)} USD`] as const]),
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

function describeCleared({ team_id, cleared }: ClearUnchargedReply): string {
  return `Team ${team_id}: ${cleared} ${cleared === 1 ? 'kind of call is' : 'kinds of calls are'} held by the estimate again.`
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
