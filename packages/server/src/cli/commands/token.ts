// `fairgate token …`: the log tokens with which the teams' tools write to the logbook.
import {
  generatedLogTokenSchema,
  logTokenListSchema,
  logTokenSchema,
} from '@fairgate/contracts/management/log-tokens.ts'
import type { Command } from 'commander'
import { addList, addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { describeGeneratedToken, describeRevokedToken, describeTokens } from '../output/describe-token.ts'

const help = `
Examples:
  $ fairgate token generate team-01
  $ fairgate token list team-01
  $ fairgate token revoke TOKEN_ID`

export function addTokenCommands(program: Command, context: CommandContext): void {
  const group = program.command('token').description('log tokens of the teams').addHelpText('after', help)
  addRequest(group, context, {
    verb: 'generate',
    description: 'make a log token for a team, and print it once',
    argument: ['<team>', 'id of the team'],
    request: team => ({ post: '/log_token/generate', body: { team_id: team } }),
    reply: generatedLogTokenSchema,
    describe: describeGeneratedToken,
  })
  addList(group, context, {
    verb: 'list',
    description: 'log tokens of all teams or one, revoked ones included',
    request: team => ({ get: '/log_token/list', query: { team_id: team } }),
    reply: logTokenListSchema,
    describe: describeTokens,
  })
  addRequest(group, context, {
    verb: 'revoke',
    description: 'stop a log token for good',
    argument: ['<token-id>', 'id of the token, as the list shows it'],
    request: tokenId => ({ post: '/log_token/revoke', body: { token_id: tokenId } }),
    reply: logTokenSchema,
    describe: describeRevokedToken,
  })
}
