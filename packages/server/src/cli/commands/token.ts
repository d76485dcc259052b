// `fairgate token …`: the log tokens with which the teams' tools write to the logbook.
import {
  type GeneratedLogToken,
  generatedLogTokenSchema,
  type LogTokenList,
  type LogTokenRecord,
  logTokenListSchema,
  logTokenSchema,
} from '@fairgate/contracts/management/log-tokens.ts'
import type { Command } from 'commander'
import { addAct, addList } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { hashSecret } from '../hash-secret.ts'
import { formatTable } from '../output/format.ts'

const help = `
Examples:
  $ fairgate token generate team-01
  $ fairgate token list team-01
  $ fairgate token revoke team-01/x7Qa`

export function addTokenCommands(program: Command, context: CommandContext): void {
  const group = program.command('token').description('log tokens of the teams').addHelpText('after', help)
  group
    .command('generate')
    .description('make a log token for a team, and print it once')
    .argument('<team>', 'id of the team')
    .option('--member <member>', 'id of the member whose token it is (default: the whole team)')
    .action(async (team: string, { member }: { readonly member?: string }) => {
      const body = { team_id: team, ...(member === undefined ? {} : { member_id: member }) }
      await context.show(
        { post: '/log_token/generate', body },
        generatedLogTokenSchema,
        describeGeneratedToken,
      )
    })
  addList(group, context, {
    verb: 'list',
    description: 'log tokens of all teams or one, revoked ones included',
    request: team => ({ get: '/log_token/list', query: { team_id: team } }),
    reply: logTokenListSchema,
    describe: describeTokens,
  })
  addAct(group, context, {
    verb: 'revoke',
    description: 'stop a log token for good',
    argument: ['<token>', 'id of the token, its last four characters, or the token itself'],
    request: token => ({ post: '/log_token/revoke', body: { token_id: hashSecret(token) } }),
    reply: logTokenSchema,
    describe: describeRevokedToken,
  })
}

function describeTokens({ log_tokens: tokens }: LogTokenList): string {
  if (tokens.length === 0) return 'No log tokens. Make one with "fairgate token generate TEAM".'
  return formatTable(
    ['TOKEN ID', 'NAME', 'TEAM', 'CREATED', 'STATE'],
    tokens.map(token => [
      token.token_id,
      token.token_name,
      token.team_id,
      token.created_at,
      token.revoked_at === null ? 'works' : `revoked ${token.revoked_at}`,
    ]),
  )
}

function describeGeneratedToken({ token, token_id, team_id }: GeneratedLogToken): string {
  return `Log token of team ${team_id}, shown this once:\n\n  ${token}\n\nToken id: ${token_id}`
}

function describeRevokedToken({ token_id, team_id }: LogTokenRecord): string {
  return `Log token ${token_id} of team ${team_id} is revoked for good.`
}
