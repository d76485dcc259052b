// `fairgate logs export`: writes entries as NDJSON or CSV, to a file or standard output, once or continuously.
import { parseEntryPositions } from '@fairgate/contracts/management/entry-positions.ts'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { refuseUsage } from '../command-failure.ts'
import type { ProgramDependencies } from '../dependencies.ts'
import type { AdminQuery } from '../door/call-admin-door.ts'
import { addEntryFilter, chooseTeam, type EntryFilterOptions } from '../options.ts'
import { type ExportFormat, type StreamSurroundings, writeStream } from '../output/write-stream.ts'
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

type ExportOptions = EntryFilterOptions & {
  readonly format?: ExportFormat
  readonly after?: string
  readonly output?: string
  readonly force?: boolean
  readonly follow?: boolean
  readonly bom?: boolean
}

const formats: Readonly<Record<ExportFormat, { readonly path: string; readonly mediaType: string }>> = {
  ndjson: { path: '/logs/export.ndjson', mediaType: 'application/x-ndjson' },
  csv: { path: '/logs/export.csv', mediaType: 'text/csv' },
}

export function addExportCommand(
  group: Command,
  context: CommandContext,
  surroundings: ExportSurroundings,
): void {
  addEntryFilter(group.command('export'))
    .description('entries of all teams or one as a stream, oldest first')
    .addOption(
      new Option('--format <format>', 'default: by the name of the file, else ndjson').choices([
        'ndjson',
        'csv',
      ]),
    )
    .option(
      '--after <places>',
      'only what has a higher seq: 17 for one team, team-01:17,team-02:3 for several',
    )
    .option('-o, --output <file>', 'write to this file, which is there only when it is whole')
    .option('--force', 'replace a file that is there')
    .option('--follow', 'go on with what comes, until interrupted')
    .option('--bom', 'begin CSV with the mark by which Excel recognises UTF-8')
    .addHelpText('after', help)
    .action(async (argument: string | undefined, options: ExportOptions) => {
      const plan = planExport(argument, options, context.isJson())
      if (plan.isFollowing) await followEntries(context, surroundings, plan)
      else {
        const query: AdminQuery = {
          team_id: plan.team,
          after_seq: plan.after,
          ...plan.filter,
          bom: plan.bom ? true : undefined,
        }
        await writeStream(context, surroundings, {
          ...formats[plan.format],
          ...plan,
          query,
          rows: 'entries',
        })
      }
    })
}

/** Refuses options that make no sense together. `isJson`: --json is given, which means NDJSON here. Throws CommandFailure 2. */
function planExport(argument: string | undefined, options: ExportOptions, isJson: boolean) {
  const { after, event, tool, output, force = false, follow = false, bom = false } = options
  const team = chooseTeam(argument, options)
  const format = options.format ?? (output?.toLowerCase().endsWith('.csv') === true ? 'csv' : 'ndjson')
  if (isJson && format === 'csv') throw refuseUsage('--json and CSV exclude each other.')
  if (follow && format === 'csv') throw refuseUsage('--follow writes NDJSON only.')
  if (follow && output !== undefined)
    throw refuseUsage('--follow has no end at which a file would be whole. Let the shell write it: > FILE.')
  if (bom && format !== 'csv') throw refuseUsage('--bom is for CSV only.')
  if (force && output === undefined) throw refuseUsage('--force is for --output only.')
  return {
    team,
    format,
    /** Null: standard output. */
    file: output ?? null,
    mayReplace: force,
    isFollowing: follow,
    after,
    positions: readPositions(after, team),
    filter: { event, tool },
    bom,
  }
}

export type ExportPlan = ReturnType<typeof planExport>

function readPositions(after: string | undefined, team: string | undefined): ReadonlyMap<string, number> {
  try {
    return parseEntryPositions(after ?? '', team)
  } catch (cause) {
    throw refuseUsage(`--after: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
