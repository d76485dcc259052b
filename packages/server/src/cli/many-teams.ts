// Commands that can reach many teams instead of one, and their requests to the admin door.
import type { Command } from 'commander'
import { actionOptions, type RunAction } from './actions.ts'
import { addCommand, type CommandRow } from './add-request.ts'
import { refuseUsage } from './command-failure.ts'
import { type Fields, parseList } from './options.ts'

export const manyTeamsHelp = `
With --all, --team or --where the change applies to all of these teams or to none, with one audit row each.
Set tags with --tags of "fairgate team new" and "update".`

/** For commands with `[team]` as the first argument. */
export const manyTeamsOptions = [
  ['--all', 'all teams'],
  ['--team <a,b>', 'these teams', parseList],
  ['--where <tag=name>', 'only teams with this tag', parseWhere],
  ...actionOptions,
] as const

/** `tag=final` → `final`. */
function parseWhere(text: string): string {
  const tag = /^tag=(.+)$/.exec(text)?.[1]
  if (tag === undefined) throw refuseUsage('write --where tag=NAME, such as tag=final.')
  return tag
}

type OnTeams = {
  /** Route of the change on many, under `/teams/…`. */
  readonly path: string
  readonly one: (team: string, fields: Fields) => Promise<void>
  /** Throws for fields that change nothing. */
  readonly check?: (fields: Fields) => unknown
  readonly runAction: RunAction
}

/** With a preview or a reason even a single team uses the bulk route. */
export function addOnTeams(group: Command, { options = [], ...row }: CommandRow, action: OnTeams): void {
  const whole = {
    ...row,
    arguments: [['[team]', 'id of the team']],
    options: [...options, ...manyTeamsOptions],
  } as const
  addCommand(group, whole, (fields, team: string | undefined) => runOnTeams(team, fields, action))
}

/** Throws CommandFailure 2 if no team is named, or if teams are named in two ways. */
export async function runOnTeams(
  argument: string | undefined,
  given: Fields,
  action: OnTeams,
): Promise<void> {
  const { all, team, where, reason, dry_run, yes, ...fields } = given
  action.check?.(fields)
  const chosen = chooseTeams(argument, { all, team, where })
  const isPlain = dry_run === undefined && reason === undefined && yes === undefined
  if (argument !== undefined && isPlain) return await action.one(argument, fields)
  await action.runAction({ post: action.path, body: { ...chosen, ...fields } }, { reason, dry_run, yes })
}

/** Throws CommandFailure 2 if no team is named, or if teams are named in two ways. */
export function chooseTeams(argument: string | undefined, { all, team, where }: Fields): Fields {
  const ways = [argument !== undefined, all === true, team !== undefined].filter(Boolean).length
  if (ways > 1) throw refuseUsage('name the teams in one way: TEAM, --all or --team.')
  if (ways === 0 && where === undefined)
    throw refuseUsage('name a team, or many with --all, --team or --where.')
  const teams = argument === undefined ? (team ?? 'all') : [argument]
  return { teams, ...(where === undefined ? {} : { where: { tag: where } }) }
}
