// Looks at the database that a data folder is to be copied into, and decides what comes next, or refuses.
import { migrationNames } from '../store/migrations/migrate.ts'
import { copyTable } from '../store/unfinished-copy.ts'
import { countFreshRows, type TableName, tableNames } from './copy-tables.ts'
import type { CopyMarker, TargetDatabase } from './target-database.ts'

/** The source, and when it was last written. */
export type Origin = { readonly path: string; readonly state: string }

export type TargetFacts = {
  readonly state: 'empty' | 'unfinished_copy' | 'finished_copy' | 'in_use_otherwise'
  readonly marker: CopyMarker | null
  readonly next: 'copy' | 'go_on' | 'verify'
  readonly serverVersion: string
}

/** Throws an Error that says why nothing can be done with this target. */
export async function inspectTarget(
  target: TargetDatabase,
  origin: Origin,
  asked: { readonly mode: 'copy' | 'plan' | 'verify'; readonly startOver: boolean },
): Promise<TargetFacts> {
  const server = await target.readServer()
  refuseServer(server)
  const tables = await target.listTables()
  refuseForeignTables(tables)
  const migrations = await target.listMigrations()
  refuseNewerTarget(migrations)
  const user = tables.includes('processes') ? await target.findLivingProcess() : null
  if (user !== null) throw new Error(`The target is in use: ${user}. Stop it first.`)
  const marker = await target.readMarker()
  const usedTable = marker === null ? await findUsedTable(target, tables) : null
  const state = nameState(marker, usedTable)
  const next = decide({ state, marker, usedTable, isCurrent: isCurrent(migrations) }, origin, asked)
  return { state, marker, next, serverVersion: server.version }
}

/** The oldest that Fairgate runs on (docs/operations.md). */
const oldestServer = 130_000

function refuseServer({
  version,
  number,
  encoding,
}: Awaited<ReturnType<TargetDatabase['readServer']>>): void {
  if (number < oldestServer)
    throw new Error(`The target runs PostgreSQL ${version}. Fairgate needs version 13 or newer.`)
  if (encoding !== 'UTF8')
    throw new Error(
      `The target has the encoding ${encoding}, which cannot hold every text. Make it with: create database … encoding 'UTF8' template template0`,
    )
}

/** What Fairgate may have left in a database without its tables: a start, or a copy, that came no further. */
const beforeMigrations = ['process_epoch', copyTable]

function refuseForeignTables(tables: readonly string[]): void {
  const foreign = tables.find(name => !beforeMigrations.includes(name))
  if (foreign !== undefined && !tables.includes('kysely_migration'))
    throw new Error(
      `The target belongs to another program: it has a table ${foreign}. Name an empty database.`,
    )
}

function refuseNewerTarget(migrations: readonly string[]): void {
  const unknown = migrations.find(name => !migrationNames.includes(name))
  if (unknown !== undefined)
    throw new Error(
      `The target was written by a newer version of Fairgate (it has the migration ${unknown}). Use that version, or name an empty database.`,
    )
}

function isCurrent(migrations: readonly string[]): boolean {
  return migrationNames.every(name => migrations.includes(name))
}

/** The first table that somebody has written to. Rows of processes are no data: none of those processes lives. */
async function findUsedTable(target: TargetDatabase, tables: readonly string[]): Promise<TableName | null> {
  const fresh = await countFreshRows()
  for (const table of tableNames) {
    if (table === 'processes' || !tables.includes(table)) continue
    const rows = fresh.get(table) ?? 0
    if ((await target.countRows(table, rows + 1)) > rows) return table
  }
  return null
}

function nameState(marker: CopyMarker | null, usedTable: TableName | null): TargetFacts['state'] {
  if (marker !== null) return marker.finishedAt === null ? 'unfinished_copy' : 'finished_copy'
  return usedTable === null ? 'empty' : 'in_use_otherwise'
}

type Found = Pick<TargetFacts, 'state' | 'marker'> & {
  readonly usedTable: TableName | null
  /** Whether it has the schema of this version. */
  readonly isCurrent: boolean
}

function decide(
  { state, marker, usedTable, isCurrent }: Found,
  origin: Origin,
  { mode, startOver }: { readonly mode: 'copy' | 'plan' | 'verify'; readonly startOver: boolean },
): TargetFacts['next'] {
  if (mode === 'verify') {
    if (state === 'empty') throw new Error('The target is empty: there is nothing to compare.')
    if (state === 'unfinished_copy')
      throw new Error(
        'The target holds an unfinished copy. Run the command without --verify-only to finish it.',
      )
  }
  if (state === 'empty') return 'copy'
  if (state === 'unfinished_copy') {
    if (startOver || marker === null || marker.positions === null) return 'copy'
    refuseOtherSource(marker, origin)
    if (isCurrent) return 'go_on'
    throw new Error(
      'The unfinished copy in the target was begun by an older version of Fairgate. Copy again with --start-over.',
    )
  }
  if (state === 'in_use_otherwise' && mode !== 'verify')
    throw new Error(
      `The target is not empty, and no copy of a data folder: its table ${usedTable} has rows. Name an empty database.`,
    )
  if (startOver)
    throw new Error(
      'The target holds a finished copy, which a server may have used since. To copy again, name an empty database.',
    )
  if (isCurrent) return 'verify'
  throw new Error('The target has the schema of an older version of Fairgate, so the two cannot be compared.')
}

function refuseOtherSource(marker: CopyMarker, origin: Origin): void {
  if (marker.sourceState === origin.state) return
  throw new Error(
    marker.sourcePath === origin.path
      ? `${origin.path} has been written since its copying began (${new Date(marker.startedAt).toISOString()}). Copy it again with --start-over.`
      : `The target holds an unfinished copy of ${marker.sourcePath}, not of ${origin.path}. Finish that one, or copy this one with --start-over.`,
  )
}
