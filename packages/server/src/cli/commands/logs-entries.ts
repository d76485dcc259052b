// `fairgate logs list` and `fairgate logs show`: what the teams logged, for people or as JSON.
import { loggedEntrySchema } from '@fairgate/contracts/management/log-entries.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { parseInteger } from '../options/parse-number.ts'
import { addTeamFilter, chooseTeam, type TeamOption } from '../options/team-filter.ts'
import { describeEntries, describeEntry } from '../output/describe-entries.ts'
import { readEntries } from './read-entries.ts'

export type FilterOptions = TeamOption & { readonly event?: string; readonly tool?: string }

type ListOptions = FilterOptions & { readonly before?: string; readonly limit: number }

const listHelp = `
Examples:
  $ fairgate logs list
  $ fairgate logs list team-01 --tool codex --limit 200
  $ fairgate logs list --event UserPromptSubmit --before 2026-11-21T18:00:00+09:00
  $ fairgate logs list team-01 --json`

const showHelp = `
The entry is printed as it is stored, with every member that was sent.

Examples:
  $ fairgate logs show team-01 17
  $ fairgate logs show team-01 17 --json`

export function addFilterOptions(command: Command): Command {
  return addTeamFilter(command)
    .option('--event <name>', 'only events of exactly this name')
    .option('--tool <name>', 'only entries of this tool, in any case')
}

export function addEntriesCommands(group: Command, { ask, print, show }: CommandContext): void {
  addFilterOptions(group.command('list'))
    .description('entries of all teams or one, newest first')
    .option('--before <place>', 'ISO 8601: only what is earlier; or where the last list ended')
    .option('--limit <n>', 'at most this many', parseInteger(1, 100_000), 50)
    .addHelpText('after', listHelp)
    .action(async (argument: string | undefined, options: ListOptions) => {
      const { before, event, tool, limit } = options
      const query = { team_id: chooseTeam(argument, options), before, event, tool }
      print(await readEntries(ask, query, limit), describeEntries)
    })
  group
    .command('show')
    .description('one entry in full')
    .argument('<team>', 'id of the team')
    .argument('<entry>', 'its seq, as the list shows it, or its id')
    .addHelpText('after', showHelp)
    .action(async (team: string, entry: string) => {
      const request = { get: '/logs/entry', query: { team_id: team, entry } }
      await show(request, loggedEntrySchema, describeEntry)
    })
}
