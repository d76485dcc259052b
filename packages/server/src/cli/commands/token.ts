// `fairgate token …`: the log tokens with which the teams' tools write to the logbook.
import {
  generatedLogTokenSchema,
  logTokenListSchema,
  logTokenSchema,
} from '@fairgate/contracts/management/log-tokens.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addTeamFilter, chooseTeam, type TeamOption } from '../options/team-filter.ts'
import { describeGeneratedToken, describeRevokedToken, describeTokens } from '../output/describe-token.ts'

const help = `
Examples:
  $ fairgate token generate team-01
  $ fairgate token list team-01
  $ fairgate token revoke TOKEN_ID`

export function addTokenCommands(program: Command, { show }: CommandContext): void {
  const group = program.command('token').description('log tokens of the teams').addHelpText('after', help)
  group
    .command('generate')
    .description('make a log token for a team, and print it once')
    .argument('<team>', 'id of the team')
    .action(async (team: string) => {
      const body = { team_id: team }
      await show({ post: '/log_token/generate', body }, generatedLogTokenSchema, describeGeneratedToken)
    })
  addTeamFilter(group.command('list'))
    .description('log tokens of all teams or one, revoked ones included')
    .action(async (argument: string | undefined, options: TeamOption) => {
      const query = { team_id: chooseTeam(argument, options) }
      await show({ get: '/log_token/list', query }, logTokenListSchema, describeTokens)
    })
  group
    .command('revoke')
    .description('stop a log token for good')
    .argument('<token-id>', 'id of the token, as the list shows it')
    .action(async (tokenId: string) => {
      const body = { token_id: tokenId }
      await show({ post: '/log_token/revoke', body }, logTokenSchema, describeRevokedToken)
    })
}
