// `fairgate team …`: teams with their budgets and limits.
import {
  type TeamInfo,
  type TeamRecord,
  teamInfoSchema,
  teamRecordSchema,
} from '@fairgate/contracts/info/team-record.ts'
import { teamListSchema, updatedTeamSchema } from '@fairgate/contracts/management/team-bodies.ts'
import { clearUnchargedReplySchema } from '@fairgate/contracts/management/uncharged.ts'
import type { Command } from 'commander'
import { dryRunOption, showAction } from '../actions.ts'
import { addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { addOnTeams, manyTeamsHelp } from '../many-teams.ts'
import {
  changeHelp,
  type Fields,
  limitNames,
  listLimitOptions,
  modelLimitOptions,
  noneHelp,
  readFields,
  requireChange,
} from '../options.ts'
import {
  describeState,
  formatFields,
  formatItems,
  formatList,
  formatSpend,
  formatUsd,
  listLimits,
} from '../output/format.ts'
import { addLockCommands } from './board.ts'

const groupHelp = `
Examples:
  $ fairgate team new --id team-01 --alias "Blue team" --budget 50
  $ fairgate team list --json
  $ fairgate team show team-01
  $ fairgate team update team-01 --rpm 120 --tpm none
  $ fairgate team block team-01 --reason "withdrew"
  $ fairgate team unblock team-01
  $ fairgate team clear-uncharged team-01 --reason "prices corrected"
  $ fairgate team lock --all --at +15m
  $ fairgate team unlock team-01`

const newHelp = `
${noneHelp}

Examples:
  $ fairgate team new --id team-01 --budget 50 --budget-duration 1d --rpm 60
  $ fairgate team new --id team-02 --models mm-2.5-flash --tpm 200000`

const updateHelp = `
${noneHelp}
${changeHelp}

Examples:
  $ fairgate team update team-01 --budget 80
  $ fairgate team update team-01 --set-model-rpm mm-2.5-pro=5
  $ fairgate team update team-01 --rpm none --models none
  $ fairgate team update --all --budget 80 --dry-run
  $ fairgate team update --where tag=final --rpm 300 --reason "final round"
${manyTeamsHelp}`

const teamArgument = ['<team>', 'id of the team'] as const
const aliasOption = ['--alias <alias>', 'display name'] as const
const teamNames = { ...limitNames, id: 'team_id', alias: 'team_alias' }
const allModels = 'the whole catalog'

const blockings = [
  ['block', 'block a team, or many: none of their keys work'],
  ['unblock', 'unblock a team, or many'],
] as const

export function addTeamCommands(program: Command, context: CommandContext): void {
  const { show, runAction } = context
  const group = program.command('team').description('manage teams, their budgets and limits')
  group.addHelpText('after', groupHelp)
  addRequest(group, context, {
    verb: 'new',
    description: 'create a team',
    options: [
      ['--id <id>', 'letters, digits, dots, underscores and hyphens (default: chosen by the server)'],
      aliasOption,
      ...listLimitOptions(allModels),
    ],
    names: teamNames,
    help: newHelp,
    request: body => ({ post: '/team/new', body }),
    reply: teamRecordSchema,
    describe: team => `Created team.\n\n${describeTeam(team)}`,
  })
  addRequest(group, context, {
    verb: 'list',
    description: 'list all teams',
    request: () => ({ get: '/team/list' }),
    reply: teamListSchema,
    list: 'items',
    describe: teams =>
      formatItems(teams, 'No teams yet. Create one with "fairgate team new".', {
        TEAM: 'team_id',
        ALIAS: 'team_alias',
        SPENT: team => formatUsd(team.spend),
        BUDGET: team => (team.current_budget === null ? null : formatUsd(team.current_budget)),
        PERIOD: 'budget_duration',
        RPM: 'rpm_limit',
        TPM: 'tpm_limit',
        KEYS: team => team.keys.length,
        STATE: team => describeState(team.blocked),
      }),
  })
  addRequest(group, context, {
    verb: 'show',
    description: 'show one team with its keys',
    arguments: [teamArgument],
    request: (_, team_id) => ({ get: '/team/info', query: { team_id } }),
    reply: teamInfoSchema,
    describe: describeTeamInfo,
  })
  addOnTeams(
    group,
    {
      verb: 'update',
      description: 'change a team, or many; applies at once',
      options: [aliasOption, ...listLimitOptions(allModels), ...modelLimitOptions],
      names: teamNames,
      help: updateHelp,
    },
    {
      path: '/teams/update',
      one: (team_id, fields) =>
        show({ post: '/team/update', body: { team_id, ...fields } }, updatedTeamSchema, ({ data }) =>
          describeTeam(data),
        ),
      check: requireChange,
      runAction,
    },
  )
  for (const [verb, description] of blockings)
    addOnTeams(
      group,
      { verb, description, help: manyTeamsHelp },
      {
        path: `/teams/${verb}`,
        one: team =>
          show(
            { post: `/team/${verb}`, body: { team_id: team } },
            teamRecordSchema,
            ({ team_id: id, blocked }) =>
              blocked ? `Team ${id} is blocked: none of its keys work.` : `Team ${id} is not blocked.`,
          ),
        runAction,
      },
    )
  group
    .command('clear-uncharged')
    .description('hold calls of a team by their estimates again, after some used more than was held')
    .argument(...teamArgument)
    .requiredOption('--reason <text>', 'why, for the audit')
    .option(...dryRunOption)
    .action((team: string, options: Fields) => {
      const request = { post: `/team/${encodeURIComponent(team)}/uncharged/clear`, body: {} }
      return showAction(
        context,
        request,
        readFields(options),
        clearUnchargedReplySchema,
        ({ team_id, cleared }) =>
          `Team ${team_id}: ${cleared} ${cleared === 1 ? 'kind of call is' : 'kinds of calls are'} held by the estimate again.`,
      )
    })
  addLockCommands(group, context)
}

function describeTeam(team: TeamRecord): string {
  return formatFields([
    ['team', team.team_id],
    ['alias', team.team_alias],
    ['state', describeState(team.blocked)],
    ['spent', formatSpend(team.spend, team.current_budget)],
    team.max_budget !== team.current_budget && [
      'own budget',
      team.max_budget === null ? 'none' : `${formatUsd(team.max_budget)} USD`,
    ],
    ['held', `${formatUsd(team.held)} USD for running calls`],
    ...listLimits(team),
    ['models', formatList(team.models, 'the whole catalog')],
    ['created', `${team.created_at} by ${team.created_by}`],
    ['updated', `${team.updated_at} by ${team.updated_by}`],
  ])
}

function describeTeamInfo({ team_info: team, keys }: TeamInfo): string {
  const table = formatItems(keys, 'No keys.', {
    KEY: 'key_name',
    ALIAS: 'key_alias',
    SPENT: key => formatUsd(key.spend),
    EXPIRES: key => key.expires ?? 'never',
    STATE: key => describeState(key.blocked),
  })
  return `${describeTeam(team)}\n\n${table}`
}
