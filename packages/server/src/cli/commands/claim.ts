// `fairgate claim …`: the links with which members of teams get their keys.
import {
  type ClaimList,
  claimListSchema,
  claimReplySchema,
  type MadeClaims,
  madeClaimReplySchema,
  madeClaimsSchema,
} from '@fairgate/contracts/management/claims.ts'
import type { Command } from 'commander'
import { addAction, addCommand } from '../add-request.ts'
import { type CommandContext, readPages } from '../command-context.ts'
import { refuseUsage } from '../command-failure.ts'
import { type Fields, parseInteger } from '../options.ts'
import { formatItems } from '../output/format.ts'

const help = `
A code opens a page of the gateway where each member takes a seat and gets one line to paste. Codes are shown once.

Examples:
  $ fairgate claim create --all --expires 3d
  $ fairgate claim create --team red,blue --seats 2
  $ fairgate claim list
  $ fairgate claim renew cl_…
  $ fairgate claim revoke cl_… --reason "the sheet was lost"`

const claimArgument = ['<claim>', 'id of the claim, as the list shows it'] as const

export const teamsOptions = [
  ['--all', 'every team that is not blocked and has no working code'],
  ['--team <a,b>', 'these teams'],
] as const

export const codeOptions = [
  ['--seats <n>', 'how many people who are not on the list of members may also join', parseInteger(0, 1000)],
  ['--expires <span>', 'time to expiry from now, such as 12h or 3d (default: 7d)'],
] as const

export const codeNames = { expires: 'duration' }

export function addClaimCommands(program: Command, context: CommandContext): void {
  const { ask, print } = context
  const group = program
    .command('claim')
    .description('manage claim links, with which members get their keys')
    .addHelpText('after', help)
  addAction(group, context, {
    verb: 'create',
    description: 'create a code for each team and print it once',
    options: [...teamsOptions, ...codeOptions],
    names: codeNames,
    request: ({ all, team, ...fields }) => ({
      post: '/claims',
      body: { teams: chooseTeams({ all, team }), ...fields },
    }),
    reply: madeClaimsSchema,
    describe: describeMade,
  })
  addCommand(
    group,
    {
      verb: 'list',
      description: 'list working codes, without their text',
      isOfTeams: true,
      options: [['--ended', 'include expired, renewed and revoked codes']],
    },
    async filter =>
      print(
        await listClaims(ask, filter),
        ({ items }) =>
          formatItems(items, 'No codes. Create them with "fairgate claim create --all".', {
            'CLAIM ID': 'claim_id',
            TEAM: 'team_id',
            CODE: claim => `…${claim.code_name}`,
            STATE: 'state',
            'FREE SEATS': claim => claim.free_members + claim.seats_left,
            USES: 'uses',
            'LAST USED': 'last_used_at',
            EXPIRES: 'expires_at',
          }),
        'items',
      ),
  )
  addAction(group, context, {
    verb: 'renew',
    description: 'replace a code; the old one stops working, and taken seats stay taken',
    arguments: [claimArgument],
    options: codeOptions,
    names: codeNames,
    request: (body, claim) => ({ post: `${pathOf(claim)}/renew`, body }),
    reply: madeClaimReplySchema,
    describe: made => describeMade({ items: [made] }),
  })
  addAction(group, context, {
    verb: 'revoke',
    description: 'revoke a code and its lines; keys created with it stay',
    arguments: [claimArgument],
    request: (_, claim) => ({ delete: pathOf(claim) }),
    reply: claimReplySchema,
    describe: ({ team_id, code_name, state }) => `The code …${code_name} of team ${team_id} is ${state}.`,
  })
}

export function chooseTeams({ all, team }: Fields): 'all' | readonly string[] {
  if ((all === true) === (team !== undefined)) throw refuseUsage('name the teams with --team, or use --all.')
  if (team === undefined) return 'all'
  const names = String(team).split(',')
  return names.map(name => name.trim()).filter(name => name !== '')
}

export function pathOf(claim: string): string {
  return `/claims/${encodeURIComponent(claim)}`
}

export async function listClaims(ask: CommandContext['ask'], filter: Fields): Promise<ClaimList> {
  return await readPages(
    after => ask({ get: '/claims', query: { ...filter, limit: 500, after } }, claimListSchema),
    page => page.next,
  )
}

function describeMade({ items }: Pick<MadeClaims, 'items'>): string {
  if (items.length === 0) return 'Every team already has a working code.'
  const table = formatItems(items, '', {
    TEAM: 'team_id',
    LINK: 'url',
    'FREE SEATS': claim => claim.free_members + claim.seats_left,
    EXPIRES: 'expires_at',
    'CLAIM ID': 'claim_id',
  })
  return `${table}\n\nThe links are not shown again.`
}
