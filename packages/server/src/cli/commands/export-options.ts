// What `fairgate logs export` was asked for, with the combinations that make no sense refused.
import { parseEntryPositions } from '@fairgate/contracts/management/entry-positions.ts'
import { CommandFailure } from '../command-failure.ts'
import { chooseTeam, type TeamOption } from '../options/team-filter.ts'

export type ExportFormat = 'ndjson' | 'csv'

export type ExportOptions = TeamOption & {
  readonly format?: ExportFormat
  readonly after?: string
  readonly event?: string
  readonly tool?: string
  readonly output?: string
  readonly force?: boolean
  readonly follow?: boolean
  readonly bom?: boolean
}

export type ExportPlan = {
  readonly team: string | undefined
  readonly format: ExportFormat
  /** Null: standard output. */
  readonly file: string | null
  readonly mayReplace: boolean
  readonly isFollowing: boolean
  readonly after: string | undefined
  readonly positions: ReadonlyMap<string, number>
  readonly filter: { readonly event: string | undefined; readonly tool: string | undefined }
  readonly bom: boolean
}

/** `isJson`: the global --json, which NDJSON is. Throws CommandFailure 2. */
export function planExport(
  argument: string | undefined,
  options: ExportOptions,
  isJson: boolean,
): ExportPlan {
  const { after, event, tool, output, force = false, follow = false, bom = false } = options
  const team = chooseTeam(argument, options)
  const format = options.format ?? (output?.toLowerCase().endsWith('.csv') === true ? 'csv' : 'ndjson')
  if (isJson && format === 'csv') throw refuse('--json and CSV exclude each other.')
  if (follow && format === 'csv') throw refuse('--follow writes NDJSON only.')
  if (follow && output !== undefined)
    throw refuse('--follow has no end at which a file would be whole. Let the shell write it: > FILE.')
  if (bom && format !== 'csv') throw refuse('--bom is for CSV only.')
  if (force && output === undefined) throw refuse('--force is for --output only.')
  return {
    team,
    format,
    file: output ?? null,
    mayReplace: force,
    isFollowing: follow,
    after,
    positions: readPositions(after, team),
    filter: { event, tool },
    bom,
  }
}

function readPositions(after: string | undefined, team: string | undefined): ReadonlyMap<string, number> {
  try {
    return parseEntryPositions(after ?? '', team)
  } catch (cause) {
    throw refuse(`--after: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

function refuse(message: string): CommandFailure {
  return new CommandFailure(2, `error: ${message}`)
}
