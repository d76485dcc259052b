// `fairgate claim …`: the links with which members of teams get their keys.
import {
  type ClaimList,
  type ClaimRecord,
  claimListSchema,
  claimReplySchema,
  type MadeClaims,
  madeClaimReplySchema,
  madeClaimsSchema,
} from '@fairgate/contracts/management/claims.ts'
import type { Command } from 'commander'
import { dryRunOption, reasonOption, showPreview } from '../acts.ts'
import type { CommandContext } from '../command-context.ts'
import { refuseUsage } from '../command-failure.ts'
import { addTeamFilter, chooseTeam, parseInteger, type TeamOption } from '../options.ts'
import { absent, formatTable } from '../output/format.ts'

const help = `
A code opens a page of the gateway, where each member takes a seat and gets one line to paste. Codes are shown once.

Examples:
  $ fairgate claim create --all --expires 3d
  $ fairgate claim create --team red,blue --seats 2
  $ fairgate claim list
  $ fairgate claim renew cl_…
  $ fairgate claim revoke cl_… --reason "the sheet was lost"`

type DryRun = { readonly dryRun?: boolean }
export type CodeOptions = { readonly seats?: number; readonly expires?: string; readonly reason?: string }
export type TeamsOptions = { readonly all?: boolean; readonly team?: string }

const claimArgument = ['<claim>', 'id of the claim, as the list shows it'] as const

export function addClaimCommands(program: Command, context: CommandContext): void {
  const { ask, print, show } = context
  const group = program
    .command('claim')
    .description('links with which members of teams get their keys')
    .addHelpText('after', help)
  addCodeOptions(addTeamsOptions(group.command('create')))
    .description('make a code for each team, and print it once')
    .option(...dryRunOption)
    .action(async (options: TeamsOptions & CodeOptions & DryRun) => {
      const body = { teams: chooseTeams(options), ...buildCodeFields(options) }
      const request = { post: '/claims', body }
      if (options.dryRun === true) return await showPreview(context, request)
      await show(request, madeClaimsSchema, describeMade)
    })
  addTeamFilter(group.command('list'))
    .description('codes that work, without their text')
    .option('--ended', 'also those that are expired, renewed or revoked')
    .action(async (argument: string | undefined, options: TeamOption & { readonly ended?: boolean }) => {
      print(
        await listClaims(ask, { team_id: chooseTeam(argument, options), ended: options.ended }),
        describeClaims,
      )
    })
  addCodeOptions(group.command('renew'))
    .description('put another code in the place of one; the former stops, taken seats stay taken')
    .argument(...claimArgument)
    .option(...dryRunOption)
    .action(async (claim: string, options: CodeOptions & DryRun) => {
      const request = { post: `${pathOf(claim)}/renew`, body: buildCodeFields(options) }
      if (options.dryRun === true) return await showPreview(context, request)
      await show(request, madeClaimReplySchema, made => describeMade({ items: [made] }))
    })
  group
    .command('revoke')
    .description('stop a code and its lines; keys that were made with it stay')
    .argument(...claimArgument)
    .option(...reasonOption)
    .option(...dryRunOption)
    .action(async (claim: string, { dryRun, ...query }: DryRun & { readonly reason?: string }) => {
      const request = { delete: pathOf(claim), query }
      if (dryRun === true) return await showPreview(context, request)
      const say = ({ team_id, code_name, state }: ClaimRecord) =>
        `The code …${code_name} of team ${team_id} is ${state}.`
      await show(request, claimReplySchema, say)
    })
}

export function addTeamsOptions(command: Command): Command {
  return command
    .option('--all', 'every team that is not blocked and has no working code')
    .option('--team <a,b>', 'these teams')
}

export function addCodeOptions(command: Command): Command {
  return command
    .option(
      '--seats <n>',
      'how many people who are not on the list of members may join too',
      parseInteger(0, 1000),
    )
    .option('--expires <time>', 'time to expiry from now, such as 12h or 3d (default: 7d)')
    .option(...reasonOption)
}

export function buildCodeFields({ seats, expires, reason }: CodeOptions) {
  return {
    ...(seats === undefined ? {} : { seats }),
    ...(expires === undefined ? {} : { duration: expires }),
    ...(reason === undefined ? {} : { reason }),
  }
}

export function chooseTeams({ all, team }: TeamsOptions): 'all' | readonly string[] {
  if ((all === true) === (team !== undefined)) throw refuseUsage('name the teams with --team, or say --all.')
  return team === undefined
    ? 'all'
    : team
        .split(',')
        .map(name => name.trim())
        .filter(name => name !== '')
}

export function pathOf(claim: string): string {
  return `/claims/${encodeURIComponent(claim)}`
}

/** All pages of them. */
export async function listClaims(
  ask: CommandContext['ask'],
  filter: { readonly team_id?: string | undefined; readonly ended?: boolean | undefined },
): Promise<ClaimList> {
  const query = { ...filter, limit: 500 }
  let claims = await ask({ get: '/claims', query }, claimListSchema)
  while (claims.next !== null) {
    const page = await ask({ get: '/claims', query: { ...query, after: claims.next } }, claimListSchema)
    claims = { ...page, items: [...claims.items, ...page.items] }
  }
  return claims
}

function describeMade({ items }: Pick<MadeClaims, 'items'>): string {
  if (items.length === 0) return 'Every team has a working code already.'
  const table = formatTable(
    ['TEAM', 'LINK', 'FREE SEATS', 'EXPIRES', 'CLAIM ID'],
    items.map(claim => [
      claim.team_id,
      claim.url,
      String(claim.free_members + claim.seats_left),
      claim.expires_at,
      claim.claim_id,
    ]),
  )
  return `${table}\n\nThe links are shown this once.`
}

function describeClaims({ items }: ClaimList): string {
  if (items.length === 0) return 'No codes. Make them with "fairgate claim create --all".'
  return formatTable(
    ['CLAIM ID', 'TEAM', 'CODE', 'STATE', 'FREE SEATS', 'USES', 'LAST USED', 'EXPIRES'],
    items.map(claim => [
      claim.claim_id,
      claim.team_id,
      `…${claim.code_name}`,
      claim.state,
      String(claim.free_members + claim.seats_left),
      String(claim.uses),
      claim.last_used_at ?? absent,
      claim.expires_at,
    ]),
  )
}
