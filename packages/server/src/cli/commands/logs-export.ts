// `fairgate logs export`: writes entries as NDJSON or CSV, to a file or standard output, once or continuously.
import { boardListSchema } from '@fairgate/contracts/management/boards.ts'
import { parseEntryPositions } from '@fairgate/contracts/management/entry-positions.ts'
import { type Command, Option } from 'commander'
import { addOptions } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure, refuseUsage } from '../command-failure.ts'
import type { AdminQuery } from '../door/call-admin-door.ts'
import { addTeamFilter, chooseTeam, entryOptions } from '../options.ts'
import {
  createOutput,
  type ExportFormat,
  fileOptions,
  markOption,
  planTarget,
  type TargetOptions,
  writeStream,
} from '../output/write-stream.ts'

const help = `
Entries come team by team in the order of their seq, each as stored. To continue where an export ended,
give --after the highest seq of each team; no entry is skipped, however late it was stored.
In CSV an apostrophe stands in front of anything that a spreadsheet could read as a formula: remove one.
The last column is the stored JSON.

Examples:
  $ fairgate logs export --output entries.ndjson
  $ fairgate logs export team-01 --format csv --bom --output team-01.csv
  $ fairgate logs export --event UserPromptSubmit | jq -r .entry.prompt
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

export function addExportCommand(group: Command, context: CommandContext): void {
  const command = addTeamFilter(group.command('export'))
    .description('export the entries of all teams or one, oldest first')
    .addHelpText('after', help)
  addOptions(command, [
    ...entryOptions,
    new Option('--format <format>', 'format (default: from the name of the file, otherwise ndjson)').choices([
      'ndjson',
      'csv',
    ]),
    ['--after <places>', 'only entries with a higher seq: 17 for one team, team-01:17,team-02:3 for more'],
    ...fileOptions,
    ['--follow', 'keep writing new entries until interrupted'],
    markOption,
  ])
  command.action(async (argument: string | undefined, options: ExportOptions) => {
    const { after, event, tool, output, follow = false } = options
    const team = chooseTeam(argument, options.team)
    const target = planTarget(options, options.format)
    if (context.isJson() && target.format === 'csv') throw refuseUsage('use --json or CSV, not both.')
    if (follow && target.format === 'csv') throw refuseUsage('--follow writes NDJSON only.')
    if (follow && output !== undefined)
      throw refuseUsage('--follow never completes a file. Redirect instead: > FILE.')
    const positions = readPositions(after, team)
    if (follow) return await followEntries(context, { team, positions, filter: { event, tool } })
    const query = { team_id: team, after_seq: after, event, tool }
    await writeStream(context, { ...target, path: '/logs/export', query, rows: 'entries' })
  })
}

function readPositions(after: string | undefined, team: string | undefined): ReadonlyMap<string, number> {
  try {
    return parseEntryPositions(after ?? '', team)
  } catch (cause) {
    throw refuseUsage(`--after: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

const restMs = 2000

/** Throws CommandFailure like other requests to the door. Its message says where to continue. */
async function followEntries(
  { ask, stream, given: surroundings }: CommandContext,
  {
    team,
    positions: begun,
    filter,
  }: {
    readonly team: string | undefined
    readonly positions: ReadonlyMap<string, number>
    readonly filter: AdminQuery
  },
): Promise<void> {
  const positions = new Map(begun)
  const write = createOutput(surroundings, 'ndjson')
  try {
    for (;;) {
      const { boards } = await ask({ get: '/logs/boards', query: { team_id: team } }, boardListSchema)
      requireHeads(boards, positions)
      for (const { team_id, head } of boards) {
        const after = positions.get(team_id) ?? 0
        if (head.seq <= after) continue
        const query = { team_id, after_seq: after, ...filter }
        const pieces = await stream('/logs/export.ndjson', query, 'application/x-ndjson')
        const last = createLastSeq()
        for await (const piece of pieces) {
          if (!(await write(piece))) return
          last.take(piece)
          positions.set(team_id, Math.max(after, last.seq()))
        }
        // The filter may have passed over the last entries, which need not be looked at again.
        positions.set(team_id, Math.max(head.seq, last.seq()))
      }
      await surroundings.wait(restMs)
    }
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode === 2 || positions.size === 0) throw error
    const places = [...positions].map(([name, seq]) => `${name}:${seq}`).join(',')
    throw new CommandFailure(error.exitCode, `${error.message}\nTo continue: --after ${places}`)
  }
}

/** Refuses a misspelt team, which would be followed from its first entry, and a number that no entry has yet. */
function requireHeads(
  boards: readonly { readonly team_id: string; readonly head: { readonly seq: number } }[],
  positions: ReadonlyMap<string, number>,
): void {
  const heads = new Map(boards.map(({ team_id, head }) => [team_id, head.seq]))
  for (const [name, seq] of positions) {
    const head = heads.get(name)
    if (head === undefined) throw refuseUsage(`--after: there is no team "${name}".`)
    if (seq > head) throw refuseUsage(`--after: team ${name} has ${head} entries, none with number ${seq}.`)
  }
}

const newline = 10
/** A line begins with the team, of 128 characters at most, and the number. */
const longestStart = 200

/** Reads the number of the last complete line from the first bytes of each line. */
function createLastSeq() {
  const start = new Uint8Array(longestStart)
  let length = 0
  let seq = 0
  return {
    take: (bytes: Uint8Array) => {
      for (let from = 0; from < bytes.length; ) {
        const end = bytes.indexOf(newline, from)
        const line = bytes.subarray(from, end < 0 ? bytes.length : end)
        const room = Math.min(longestStart - length, line.length)
        start.set(line.subarray(0, room), length)
        length += room
        if (end < 0) return
        seq = Number(
          /^\{"team_id":"[^"]*","seq":(\d+)/.exec(new TextDecoder().decode(start.subarray(0, length)))?.[1] ??
            seq,
        )
        length = 0
        from = end + 1
      }
    },
    seq: () => seq,
  }
}
