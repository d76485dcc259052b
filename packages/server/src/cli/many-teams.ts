// The options by which a command reaches many teams instead of the one that is named, and what it then asks of the admin door.
import type { ChosenTeams } from '@fairgate/contracts/management/bulk.ts'
import type { Command } from 'commander'
import { type ActOptions, addActOptions, buildActBody, type RunAct } from './acts.ts'
import { refuseUsage } from './command-failure.ts'
import { parseList } from './options.ts'

export type ManyTeamsOptions = ActOptions & {
  readonly all?: boolean
  readonly team?: readonly string[]
  readonly where?: string
}

export const manyTeamsHelp = `
With --all, --team or --where it reaches many teams: all of them or none, with one audit row for each.
Tags are set with --tags of "fairgate team new" and "update".`

/** For a command whose first argument is `[team]`. */
export function addManyTeamsOptions(command: Command): Command {
  return addActOptions(
    command
      .option('--all', 'all teams')
      .option('--team <a,b>', 'these teams', parseList)
      .option('--where <tag=name>', 'only teams with this tag', parseWhere),
  )
}

/** `tag=final` → `final`. */
function parseWhere(text: string): string {
  const tag = /^tag=(.+)$/.exec(text)?.[1]
  if (tag === undefined) throw refuseUsage('write --where tag=NAME, such as tag=final.')
  return tag
}

/**
 * Runs `one` for a single team, or the act on many under `/teams/…`. A preview or a reason makes an act of a single team too. Throws
 * CommandFailure 2 when no team is named, or in two ways.
 */
export async function runOnTeams(
  argument: string | undefined,
  options: ManyTeamsOptions,
  act: {
    readonly path: string
    readonly fields?: Readonly<Record<string, unknown>>
    readonly one: (team: string) => Promise<void>
    readonly runAct: RunAct
  },
): Promise<void> {
  const { dryRun, reason, yes } = options
  const chosen = chooseTeams(argument, options)
  const isPlain = dryRun === undefined && reason === undefined && yes === undefined
  if (argument !== undefined && isPlain) return await act.one(argument)
  await act.runAct({ post: act.path, body: { ...chosen, ...act.fields, ...buildActBody(options) } }, options)
}

/** Throws CommandFailure 2 when no team is named, or in two ways. */
export function chooseTeams(
  argument: string | undefined,
  { all, team, where }: ManyTeamsOptions,
): ChosenTeams {
  const ways = [argument !== undefined, all === true, team !== undefined].filter(Boolean).length
  if (ways > 1) throw refuseUsage('name the teams in one way: TEAM, --all or --team.')
  if (ways === 0 && where === undefined)
    throw refuseUsage('name a team, or many with --all, --team or --where.')
  const teams = argument === undefined ? (team === undefined ? 'all' : [...team]) : [argument]
  return { teams, ...(where === undefined ? {} : { where: { tag: where } }) }
}
