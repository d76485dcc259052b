// `fairgate handout`: creates codes for teams and writes the sheets to print; --dry-run shows which teams would get which links.
import {
  type ClaimRecord,
  type MadeClaim,
  madeClaimReplySchema,
  madeClaimsSchema,
} from '@fairgate/contracts/management/claims.ts'
import { eventSchema } from '@fairgate/contracts/management/event.ts'
import { previewReplySchema } from '@fairgate/contracts/management/planned-action.ts'
import { teamListSchema } from '@fairgate/contracts/management/team-bodies.ts'
import type { Command } from 'commander'
import { renderHandout } from '../../people/render-handout.ts'
import { reasonOption } from '../actions.ts'
import { addCommand } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../command-failure.ts'
import type { OutputFile, ProgramDependencies } from '../dependencies.ts'
import type { Fields } from '../options.ts'
import { formatTable } from '../output/format.ts'
import { chooseTeams, codeNames, codeOptions, listClaims, pathOf, teamsOptions } from './claim.ts'

const help = `
Teams with a working code are left out because no code is shown twice; --renew gives them a new one.
With --all, blocked teams get no code: name them with --team.
With --dry-run no code is created and no file is written.

Examples:
  $ fairgate handout sheets.html --all --dry-run
  $ fairgate handout sheets.html --all
  $ fairgate handout red.html --team red --renew`

/** The result for a team: its first working link, a new one in place of a working one, or none, because it has one or is blocked. */
type PlannedLink = { readonly team_id: string; readonly link: 'new' | 'renewed' | 'kept' | 'left_out' }

/** Claims that work: those to be renewed, or kept if none is renewed, and those of blocked teams that are not named. */
type Working = { readonly claims: readonly ClaimRecord[]; readonly leftOut: readonly ClaimRecord[] }

export function addHandoutCommand(program: Command, { ask, print, createFile }: CommandContext): void {
  addCommand(
    program,
    {
      verb: 'handout',
      description: 'create codes and write an HTML file to print, with one sheet and QR code per team',
      arguments: [['<file>', 'file to write']],
      options: [
        ...teamsOptions,
        ...codeOptions,
        reasonOption,
        ['--renew', 'include teams with a working code: replace it'],
        ['--title <text>', 'heading of each sheet (default: name of the event)'],
        ['--force', 'overwrite an existing file'],
        ['--dry-run', 'show which teams would get which links; create no code and no file'],
      ],
      names: codeNames,
      help,
    },
    async ({ all, team, renew, title, force, dry_run, ...fields }, path) => {
      const plan = { teams: chooseTeams({ all, team }), isRenewed: renew === true, fields }
      if (dry_run === true) {
        const links = await planLinks(ask, plan)
        print({ dry_run: true, file: path, teams: links }, ({ file, teams }) => describePlan(file, teams))
        return
      }
      // Before any code is created: a code that no one has seen is useless.
      const file = await openFile(createFile, path, force === true)
      try {
        const { claims, leftOut } = await makeClaims(ask, plan)
        if (claims.length === 0)
          throw new CommandFailure(
            1,
            leftOut.length > 0
              ? `No code was created. ${describeLeftOut(leftOut)}`
              : 'Every team already has a working code. Add --renew to replace them.',
          )
        const event = await ask({ get: '/event' }, eventSchema)
        const sheets = renderHandout({
          claims,
          title: typeof title === 'string' ? title : null,
          event,
        })
        await file.write(new TextEncoder().encode(sheets))
        await file.keep()
        print({ file: path, teams: claims.map(({ team_id }) => team_id), left_out: leftOut }, () =>
          [
            `${countSheets(claims)} written to ${path}. Print it, then delete it: anyone with its codes can get keys.`,
            ...(leftOut.length === 0 ? [] : [describeLeftOut(leftOut)]),
          ].join('\n'),
        )
      } catch (error) {
        await file.discard().catch(() => undefined)
        throw error
      }
    },
  )
}

type Plan = {
  readonly teams: 'all' | readonly string[]
  readonly isRenewed: boolean
  /** Members of each request for a code. */
  readonly fields: Fields
}

/** A code for each team, in the order of their ids; `leftOut` are the ids of blocked teams without renewed codes. */
async function makeClaims(
  ask: CommandContext['ask'],
  { teams, isRenewed, fields }: Plan,
): Promise<{ readonly claims: readonly MadeClaim[]; readonly leftOut: readonly string[] }> {
  const { claims: working, leftOut }: Working = isRenewed
    ? await listWorking(ask, teams, true)
    : { claims: [], leftOut: [] }
  const renewed: MadeClaim[] = []
  for (const { claim_id } of working)
    renewed.push(await ask({ post: `${pathOf(claim_id)}/renew`, body: fields }, madeClaimReplySchema))
  const others = leaveOut(teams, working)
  const made =
    others.length === 0
      ? []
      : (await ask({ post: '/claims', body: { teams: others, ...fields } }, madeClaimsSchema)).items
  return {
    claims: [...renewed, ...made].sort(byTeam),
    leftOut: [...leftOut].sort(byTeam).map(({ team_id }) => team_id),
  }
}

/** Requests each link as `makeClaims` does, as a dry run: refusals of the server also end this preview. */
async function planLinks(
  ask: CommandContext['ask'],
  { teams, isRenewed, ...plan }: Plan,
): Promise<readonly PlannedLink[]> {
  const fields = { ...plan.fields, dry_run: true }
  const { claims: working, leftOut } = await listWorking(ask, teams, isRenewed)
  if (isRenewed)
    for (const { claim_id } of working)
      await ask({ post: `${pathOf(claim_id)}/renew`, body: fields }, previewReplySchema)
  // Without --renew the server refuses teams that are named and have a code.
  const others = isRenewed ? leaveOut(teams, working) : teams
  const changes =
    others.length === 0
      ? []
      : (await ask({ post: '/claims', body: { teams: others, ...fields } }, previewReplySchema)).changes
  const made = new Set(changes.map(({ subject }) => subject))
  return [
    ...working.map(({ team_id }): PlannedLink => ({ team_id, link: isRenewed ? 'renewed' : 'kept' })),
    ...leftOut.map(({ team_id }): PlannedLink => ({ team_id, link: 'left_out' })),
    ...[...made].map((team_id): PlannedLink => ({ team_id, link: 'new' })),
  ].sort(byTeam)
}

async function listWorking(
  ask: CommandContext['ask'],
  teams: 'all' | readonly string[],
  isRenewed: boolean,
): Promise<Working> {
  const { items } = await listClaims(ask, {})
  if (teams !== 'all') return { claims: items.filter(({ team_id }) => teams.includes(team_id)), leftOut: [] }
  if (!isRenewed || items.length === 0) return { claims: items, leftOut: [] }
  // Same rule as for all teams on the server: a blocked team gets a code only if it is named.
  const known = await ask({ get: '/team/list' }, teamListSchema)
  const blocked = new Set(known.filter(team => team.blocked === true).map(({ team_id }) => team_id))
  return {
    claims: items.filter(({ team_id }) => !blocked.has(team_id)),
    leftOut: items.filter(({ team_id }) => blocked.has(team_id)),
  }
}

/** For `all`, the server leaves out teams with a code. */
function leaveOut(
  teams: 'all' | readonly string[],
  working: readonly ClaimRecord[],
): 'all' | readonly string[] {
  if (teams === 'all') return teams
  return teams.filter(team => !working.some(({ team_id }) => team_id === team))
}

function byTeam(one: { readonly team_id: string }, other: { readonly team_id: string }): number {
  return one.team_id < other.team_id ? -1 : 1
}

function countSheets({ length }: readonly unknown[]): string {
  return length === 1 ? '1 sheet' : `${length} sheets`
}

function describeLeftOut(teams: readonly string[]): string {
  return `Left out because they are blocked: ${teams.join(', ')}. Their codes stay as they are; name teams with --team to replace theirs.`
}

function describePlan(file: string, links: readonly PlannedLink[]): string {
  const made = links.filter(({ link }) => link === 'new' || link === 'renewed')
  const end =
    made.length === 0
      ? links.some(({ link }) => link === 'left_out')
        ? 'Nothing to write.'
        : 'Nothing to write: every team already has a working link. --renew replaces them.'
      : `This would write ${countSheets(made)} to ${file}. Nothing was changed.`
  if (links.length === 0) return end
  const rows = links.map(({ team_id, link }) => [team_id, wordsFor[link]])
  return `${formatTable(['TEAM', 'LINK'], rows)}\n\n${end}`
}

const wordsFor: Readonly<Record<PlannedLink['link'], string>> = {
  new: 'new',
  renewed: 'renewed: the current one stops working',
  kept: 'kept: it has a working one, and gets no sheet',
  left_out: 'left out: the team is blocked and not named with --team',
}

async function openFile(
  createFile: ProgramDependencies['createFile'],
  path: string,
  mayReplace: boolean,
): Promise<OutputFile> {
  try {
    return await createFile(path, mayReplace)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new CommandFailure(
      1,
      code === 'EEXIST'
        ? `${path} already exists. Add --force to overwrite it.`
        : `Cannot write ${path} (${code}).`,
    )
  }
}
