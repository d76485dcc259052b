// The team that a list is limited to: named as everywhere else, or by the option that lists had first.
import type { Command } from 'commander'
import { CommandFailure } from '../command-failure.ts'

export type TeamOption = { readonly team?: string }

/** The action gets the argument first, then the options. */
export function addTeamFilter(command: Command): Command {
  return command.argument('[team]', 'id of the team (default: all teams)').option('--team <team>', 'the same')
}

/** Undefined: all teams. Throws CommandFailure 2 when two different teams are named. */
export function chooseTeam(argument: string | undefined, { team }: TeamOption): string | undefined {
  if (argument === undefined || team === undefined || argument === team) return argument ?? team
  throw new CommandFailure(2, `error: two teams are named, ${argument} and ${team}. Name one.`)
}
