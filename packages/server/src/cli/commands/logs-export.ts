// `fairgate logs export`: writes entries as NDJSON or CSV, to a file or standard output, once or continuously.
import { parseEntryPositions } from '@fairgate/contracts/management/entry-positions.ts'
import { type Command, Option } from 'commander'
import { addOptions } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { refuseUsage } from '../command-failure.ts'
import type { ProgramDependencies } from '../dependencies.ts'
import { addTeamFilter, chooseTeam, entryOptions } from '../options.ts'
import {
  type ExportFormat,
  fileOptions,
  markOption,
  planTarget,
  type StreamSurroundings,
  type TargetOptions,
  writeStream,
} from '../output/write-stream.ts'
import { followEntries } from './follow-entries.ts'

export type ExportSurroundings = StreamSurroundings & Pick<ProgramDependencies, 'wait'>

const help = `
Entries come team by team in the order of their seq, each as it is stored. To go on where an export
ended, give --after the highest seq of each team; no entry is skipped, however late it was stored.
In CSV a cell that begins with an apostrophe has it in front of what a spreadsheet could take for a
formula: take one away. The last column is the stored JSON.

Examples:
  $ fairgate logs export --output entries.ndjson
  $ fairgate logs export team-01 --format csv --bom --output team-01.csv
  $ fairgate logs export --tool codex --event UserPromptSubmit | jq -r .entry.prompt
  $ fairgate logs export --after team-01:17,team-02:3
  $ fairgate logs export team-01 --after 17 --follow`

type ExportOptions = TargetOptions & {
  readonly team?: string
  readonly event?: string
  readonly tool?: string
  readonly format?: ExportFormat
  readonly after?: string
  readonly follow?: boolean
}

export function addExportCommand(
  group: Command,
  context: CommandContext,
  surroundings: ExportSurroundings,
): void {
  const command = addTeamFilter(group.command('export'))
    .description('entries of all teams or one as a stream, oldest first')
    .addHelpText('after', help)
  addOptions(command, [
    ...entryOptions,
    new Option('--format <format>', 'default: by the name of the file, else ndjson').choices([
      'ndjson',
      'csv',
    ]),
    ['--after <places>', 'only what has a higher seq: 17 for one team, team-01:17,team-02:3 for several'],
    ...fileOptions,
    ['--follow', 'go on with what comes, until interrupted'],
    markOption,
  ])
  command.action(async (argument: string | undefined, options: ExportOptions) => {
    const { after, event, tool, output, follow = false } = options
    const team = chooseTeam(argument, options.team)
    const target = planTarget(options, options.format)
    if (context.isJson() && target.format === 'csv') throw refuseUsage('--json and CSV exclude each other.')
    if (follow && target.format === 'csv') throw refuseUsage('--follow writes NDJSON only.')
    if (follow && output !== undefined)
      throw refuseUsage('--follow has no end at which a file would be whole. Let the shell write it: > FILE.')
    const positions = readPositions(after, team)
    if (follow)
      return await followEntries(context, surroundings, { team, positions, filter: { event, tool } })
    const query = { team_id: team, after_seq: after, event, tool }
    await writeStream(context, surroundings, { ...target, path: '/logs/export', query, rows: 'entries' })
  })
}

function readPositions(after: string | undefined, team: string | undefined): ReadonlyMap<string, number> {
  try {
    return parseEntryPositions(after ?? '', team)
  } catch (cause) {
    throw refuseUsage(`--after: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
