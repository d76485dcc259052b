// `fairgate token …`: the log tokens with which the teams' tools write to the logbook.
import {
  generatedLogTokenSchema,
  logTokenListSchema,
  logTokenSchema,
} from '@fairgate/contracts/management/log-tokens.ts'
import type { Command } from 'commander'
import { addAction, addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { hashSecret } from '../options.ts'
import { formatItems } from '../output/format.ts'

const help = `
Examples:
  $ fairgate token generate team-01
  $ fairgate token list team-01
  $ fairgate token revoke team-01/x7Qa`

export function addTokenCommands(program: Command, context: CommandContext): void {
  const group = program.command('token').description('manage log tokens').addHelpText('after', help)
  addRequest(group, context, {
    verb: 'generate',
    description: 'create a log token for a team and print it once',
    arguments: [['<team>', 'id of the team']],
    options: [['--member <member>', 'id of the member who owns the token (default: the whole team)']],
    names: { member: 'member_id' },
    request: (fields, team_id) => ({ post: '/log_token/generate', body: { team_id, ...fields } }),
    reply: generatedLogTokenSchema,
    describe: ({ token, token_id, team_id }) =>
      `Log token of team ${team_id}, not shown again:\n\n  ${token}\n\nToken id: ${token_id}`,
  })
  addRequest(group, context, {
    verb: 'list',
    description: 'list the log tokens of all teams or one, including revoked ones',
    isOfTeams: true,
    request: query => ({ get: '/log_token/list', query }),
    reply: logTokenListSchema,
    list: 'log_tokens',
    describe: ({ log_tokens: tokens }) =>
      formatItems(tokens, 'No log tokens. Create one with "fairgate token generate TEAM".', {
        'TOKEN ID': 'token_id',
        NAME: 'token_name',
        TEAM: 'team_id',
        CREATED: 'created_at',
        STATE: token => (token.revoked_at === null ? 'works' : `revoked ${token.revoked_at}`),
      }),
  })
  addAction(group, context, {
    verb: 'revoke',
    description: 'revoke a log token',
    arguments: [['<token>', 'id of the token, its last four characters, or the token itself']],
    request: (_, token) => ({ post: '/log_token/revoke', body: { token_id: hashSecret(token) } }),
    reply: logTokenSchema,
    describe: ({ token_id, team_id }) => `Log token ${token_id} of team ${team_id} is revoked.`,
  })
}
