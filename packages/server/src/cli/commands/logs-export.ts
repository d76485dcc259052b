// `fairgate logs export`: writes entries as NDJSON or CSV, to a file or standard output, once or continuously.
import { parseEntryPositions } from '@fairgate/contracts/management/entry-positions.ts'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure, refuseUsage } from '../command-failure.ts'
import type { OutputFile, ProgramDependencies } from '../dependencies.ts'
import type { AdminQuery } from '../door/call-admin-door.ts'
import { addEntryFilter, chooseTeam, type EntryFilterOptions } from '../options.ts'
import { createOutput, type WritePiece } from '../output/create-output.ts'
import { followEntries } from './follow-entries.ts'

export type ExportSurroundings = Pick<
  ProgramDependencies,
  'writeBytes' | 'createFile' | 'isTerminal' | 'writeError' | 'wait' | 'stopwatch'
>

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

type ExportFormat = 'ndjson' | 'csv'

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
      else await exportOnce(context, surroundings, plan)
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

async function exportOnce(
  { stream }: CommandContext,
  surroundings: ExportSurroundings,
  plan: ExportPlan,
): Promise<void> {
  const { isTerminal, writeError, stopwatch } = surroundings
  const { path, mediaType } = formats[plan.format]
  const query: AdminQuery = {
    team_id: plan.team,
    after_seq: plan.after,
    ...plan.filter,
    bom: plan.bom ? true : undefined,
  }
  const pieces = await stream(path, query, mediaType)
  const file = plan.file === null ? null : await openFile(surroundings, plan.file, plan.mayReplace)
  const write = file === null ? createOutput(surroundings, plan.format) : createFileOutput(file)
  const counter = createRowCounter(plan.format)
  const begun = stopwatch()
  let bytes = 0
  let shownAt = begun
  const describe = () => `${group(counter.rows())} entries, ${(bytes / 1e6).toFixed(1)} MB`
  // On one terminal, lines of progress would get between those of the entries.
  const mayShow = isTerminal.errors && (file !== null || !isTerminal.output)
  try {
    for await (const piece of pieces) {
      if (!(await write(piece))) return
      counter.take(piece)
      bytes += piece.length
      if (!mayShow || stopwatch() - shownAt < 200) continue
      shownAt = stopwatch()
      writeError(`\r${describe()}`)
    }
    await file?.keep()
  } catch (error) {
    await file?.discard()
    if (mayShow) writeError('\n')
    throw error
  }
  if (mayShow) writeError('\r')
  const target = plan.file === null ? '' : ` in ${plan.file}`
  if (mayShow || file !== null)
    writeError(`${describe()}${target}, ${((stopwatch() - begun) / 1000).toFixed(1)} s\n`)
}

function createFileOutput(file: OutputFile): WritePiece {
  return async bytes => {
    try {
      await file.write(bytes)
      return true
    } catch (cause) {
      throw new CommandFailure(1, `The file could not be written (${codeOf(cause)}); nothing of it is left.`)
    }
  }
}

async function openFile(
  { createFile }: Pick<ExportSurroundings, 'createFile'>,
  path: string,
  mayReplace: boolean,
): Promise<OutputFile> {
  try {
    return await createFile(path, mayReplace)
  } catch (cause) {
    const code = codeOf(cause)
    throw code === 'EEXIST'
      ? refuseUsage(`${path} is there already. Choose another name, or add --force.`)
      : refuseUsage(`${path} cannot be made (${code}).`)
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
}

/** `300,000` */
function group(count: number): string {
  return count.toLocaleString('en-US')
}

const newline = 10
const quote = 34

/** Counts lines of NDJSON, or rows of CSV without the header. A CSV cell may hold line breaks between quotation marks. */
function createRowCounter(format: ExportFormat) {
  let rows = format === 'csv' ? -1 : 0
  let isQuoted = false
  return {
    take: (bytes: Uint8Array) => {
      for (const byte of bytes) {
        if (byte === newline && !isQuoted) rows += 1
        else if (byte === quote && format === 'csv') isQuoted = !isQuoted
      }
    },
    rows: () => Math.max(0, rows),
  }
}
